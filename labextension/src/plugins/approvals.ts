import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { approvalsIcon } from '../icons';
import { ApprovalsPanel } from '../panels/approvalsPanel';
import { makeFocusable, showPanel } from '../panels/sidePanel';
import { IPageConnections } from '../tokens';

const OPEN = 'msgbook:open-approvals';

/** Plugin that adds the side panel "Approvals". */
export const approvalsPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:approvals',
  description:
    'Shows the calls of all chats that wait for approval, and the approval rules.',
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
    const panel = new ApprovalsPanel(
      connections,
      trans,
      (connection, question) => {
        app.shell.activateById(connection.panel.id);
        void connection.goToQuestion(question);
      }
    );
    makeFocusable(app.shell, panel);
    app.shell.add(panel, 'right', { rank: 520, type: 'Chat' });
    restorer?.add(panel, panel.id);

    app.commands.addCommand(OPEN, {
      label: trans.__('Show Approvals'),
      caption: trans.__(
        'Show the calls of all chats that wait for approval, and the approval rules'
      ),
      icon: approvalsIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => showPanel(app.shell, panel)
    });
    palette?.addItem({ command: OPEN, category: trans.__('Chat') });
  }
};
