import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { addSidePanel } from '../panels/addSidePanel';
import { ApprovalsPanel } from '../panels/approvalsPanel';
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
    addSidePanel(
      app,
      panel,
      {
        area: 'right',
        rank: 520,
        type: 'Chat',
        command: OPEN,
        label: trans.__('Show Approvals'),
        caption: trans.__(
          'Show the calls of all chats that wait for approval, and the approval rules'
        )
      },
      { trans, palette, restorer }
    );
  }
};
