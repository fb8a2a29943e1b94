import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { TURN_RANK, turnRendererFactory } from '../render/factory';
import { markInterruptions } from '../render/interruptions';

/** Plugin that shows turns outside of notebooks, in consoles and viewers. */
export const turnRenderersPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:turns',
  description: 'Shows the turns of a chat.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ITranslator],
  activate: (
    _: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    rendermime.addFactory(turnRendererFactory(trans), TURN_RANK);
    markInterruptions(rendermime);
  }
};
