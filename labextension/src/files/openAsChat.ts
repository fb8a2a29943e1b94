import type { JupyterFrontEnd } from '@jupyterlab/application';
import { showErrorMessage } from '@jupyterlab/apputils';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import type { TranslationBundle } from '@jupyterlab/translation';

import { openChat } from '../live/openNotebook';
import { isReadFromMessages } from './section';

/** Open an `.md` file as a notebook if the server finds a message section in it, else say why not. */
export async function openAsChat(
  app: JupyterFrontEnd,
  path: string,
  trans: TranslationBundle
): Promise<IDocumentWidget | undefined> {
  const problem = await findProblem(app, path, trans);
  if (problem !== null) {
    await showErrorMessage(
      trans.__('This file cannot be opened as a chat'),
      problem
    );
    return undefined;
  }
  return openChat(app, path);
}

async function findProblem(
  { serviceManager }: JupyterFrontEnd,
  path: string,
  trans: TranslationBundle
): Promise<string | null> {
  try {
    const found = await serviceManager.contents.get(path, {
      type: 'notebook',
      content: true
    });
    const { metadata } = found.content as { metadata?: unknown };
    return isReadFromMessages(metadata)
      ? null
      : trans.__(
          '%1 has no message section. To keep a chat below its heading "Discussion", add the line message_section: true to its frontmatter, between two lines --- at the top of the file.',
          path
        );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
