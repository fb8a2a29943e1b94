import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { SessionContextDialogs } from '@jupyterlab/apputils';

import { proposeOtherKernel } from '../live/proposedKernel';

/** Plugin that lets JupyterLab's dialogs propose the kernel that they would propose without msgbook. */
export const proposedKernelPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:proposed-kernel',
  description: 'Keeps chat kernels from being proposed for new notebooks.',
  autoStart: true,
  activate: () => {
    // All dialogs ask this function. Nothing else lets an extension into the choice of a kernel but a
    // replacement of all dialogs.
    const usual = SessionContextDialogs.kernelOptions;
    const kernelOptions: typeof usual = (context, translator) =>
      proposeOtherKernel(
        usual(context, translator),
        context.specsManager.specs?.default
      );
    Object.assign(SessionContextDialogs, { kernelOptions });
  }
};
