import type { ISessionContext } from '@jupyterlab/apputils';

import { KERNEL_NAME } from '../comm/kernelLink';

/** Return whether a notebook is a chat: one of our kernel, also while none runs. */
export function isChatNotebook({
  session,
  kernelPreference
}: Pick<ISessionContext, 'session' | 'kernelPreference'>): boolean {
  return (session?.kernel?.name ?? kernelPreference.name) === KERNEL_NAME;
}

/** Call `changed` whenever a notebook may have become a chat or none. */
export function onKernelChoice(
  {
    kernelChanged,
    kernelPreferenceChanged
  }: Pick<ISessionContext, 'kernelChanged' | 'kernelPreferenceChanged'>,
  changed: () => void
): void {
  kernelPreferenceChanged.connect(changed);
  kernelChanged.connect(changed);
}
