import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { addSidePanel } from '../panels/addSidePanel';
import { ContextPanel } from '../panels/contextPanel';
import { IPageConnections } from '../tokens';

/** Command that shows the Context panel. */
export const OPEN_CONTEXT = 'msgbook:open-context';

/** Plugin that adds the side panel "Context". */
export const contextPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:context',
  description: 'Shows what the active prompt sends to the model.',
  autoStart: true,
  requires: [IPageConnections],
  optional: [ITranslator, ICommandPalette, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    connections: IPageConnections,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const panel = new ContextPanel(connections, trans);
    addSidePanel(
      app,
      panel,
      {
        area: 'right',
        rank: 510,
        type: 'Chat',
        command: OPEN_CONTEXT,
        label: trans.__('Show Context'),
        caption: trans.__('Show what the active prompt sends to the model')
      },
      { trans, palette, restorer }
    );
  }
};
