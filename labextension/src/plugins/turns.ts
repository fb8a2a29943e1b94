import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { TURN_RANK, turnRendererFactory } from '../render/factory';
import { markInterruptions } from '../render/interruptions';

/** Shows turns wherever outputs are shown: consoles, viewers; notebooks have their own renderers. */
export const turnsPlugin: JupyterFrontEndPlugin<void> = {
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
