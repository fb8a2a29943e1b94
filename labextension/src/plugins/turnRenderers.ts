import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IMermaidManager } from '@jupyterlab/mermaid';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { TURN_RANK, turnRendererFactory } from '../render/factory';
import { NO_HOST } from '../render/host';
import { markInterruptions } from '../render/interruptions';
import { loadVega } from '../rich/vegaChart';

/** Plugin that shows turns outside of notebooks, in consoles and viewers. */
export const turnRenderersPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:turns',
  description: 'Shows the turns of a chat.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ITranslator, IMermaidManager],
  activate: (
    _: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    translator: ITranslator | null,
    diagrams: IMermaidManager | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    rendermime.addFactory(
      turnRendererFactory(trans, NO_HOST, { charts: loadVega, diagrams }),
      TURN_RANK
    );
    markInterruptions(rendermime);
  }
};
