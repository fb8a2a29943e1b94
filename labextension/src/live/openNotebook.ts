import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import type { JSONObject } from '@lumino/coreutils';

import { KERNEL_NAME } from '../comm/kernelLink';

/** The widget factory of notebooks. */
export const NOTEBOOK_FACTORY = 'Notebook';

/** Open a file of any type as a notebook. */
export async function openNotebook(
  { commands }: Pick<JupyterFrontEnd, 'commands'>,
  path: string,
  options: JSONObject = {}
): Promise<IDocumentWidget | undefined> {
  const args = { path, factory: NOTEBOOK_FACTORY, ...options };
  return (await commands.execute('docmanager:open', args)) as
    IDocumentWidget | undefined;
}

/** Open a file of any type as a notebook with our kernel. */
export function openChat(
  app: Pick<JupyterFrontEnd, 'commands'>,
  path: string
): Promise<IDocumentWidget | undefined> {
  return openNotebook(app, path, { kernel: { name: KERNEL_NAME } });
}
