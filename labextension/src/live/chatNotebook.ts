import type { ISessionContext } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { KERNEL_NAME } from '../comm/kernelLink';

/** Return whether a notebook is a chat: one of our kernel, also while none runs. */
export function isChatNotebook({
  session,
  kernelPreference
}: Pick<ISessionContext, 'session' | 'kernelPreference'>): boolean {
  return (session?.kernel?.name ?? kernelPreference.name) === KERNEL_NAME;
}

/** Call `changed` whenever a notebook may have become a chat or none, until it is closed. */
export function onKernelChoice(
  { disposed, sessionContext }: NotebookPanel,
  changed: () => void
): void {
  const { kernelChanged, kernelPreferenceChanged } = sessionContext;
  kernelPreferenceChanged.connect(changed);
  kernelChanged.connect(changed);
  // Another view of the notebook may keep its session.
  disposed.connect(() => {
    kernelPreferenceChanged.disconnect(changed);
    kernelChanged.disconnect(changed);
  });
}
