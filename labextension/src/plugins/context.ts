import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { contextIcon } from '../icons';
import { ContextPanel } from '../panels/contextPanel';
import { makeFocusable, showPanel } from '../panels/sidePanel';
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
    makeFocusable(app.shell, panel);
    app.shell.add(panel, 'right', { rank: 510, type: 'Chat' });
    restorer?.add(panel, panel.id);

    app.commands.addCommand(OPEN_CONTEXT, {
      label: trans.__('Show Context'),
      caption: trans.__('Show what the active prompt sends to the model'),
      icon: contextIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => showPanel(app.shell, panel)
    });
    palette?.addItem({ command: OPEN_CONTEXT, category: trans.__('Chat') });
  }
};
