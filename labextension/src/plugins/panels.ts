import { ILayoutRestorer } from '@jupyterlab/application';
import { plugin } from './plugin';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { URLExt } from '@jupyterlab/coreutils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ServerConnection } from '@jupyterlab/services';
import { errorText } from '../turn/text';
import { openNotebook } from '../live/chatNotebook';
import { addSidePanel } from '../panels/sidePanel';
import { AgentsModel } from '../panels/agentsModel';
import { AgentsPanel } from '../panels/agentsPanel';
import { IPageConnections } from '../tokens';
import { ApprovalsPanel } from '../panels/approvalsPanel';
import { IStatusBar } from '@jupyterlab/statusbar';
import { UsageItem } from '../panels/usageItem';
import { ContextPanel } from '../panels/contextView';

const SHOW_AGENTS = 'msgbook:show-agents';

/** Plugin that shows the conversations of a folder and their sub-agents. */
export const agentsPlugin = plugin({
  id: '@msgbook/labextension:agents',
  description: 'Shows the conversations of a folder and their sub-agents.',
  requires: [IPageConnections],
  optional: [ICommandPalette, IDefaultFileBrowser, ILayoutRestorer],
  activate: (app, trans, connections, palette, browser, restorer) => {
    const { contents, serverSettings } = app.serviceManager;
    const model = new AgentsModel({
      connections,
      contents,
      list: folder => listAgents(folder, serverSettings),
      folder: () =>
        browser === null ? '' : contents.localPath(browser.model.path),
      folderChanged: browser?.model.pathChanged ?? null
    });
    const panel = new AgentsPanel(
      model,
      trans,
      path => void openNotebook(app, path),
      reason =>
        void showErrorMessage(
          trans.__('The agent could not be stopped'),
          errorText(reason)
        )
    );
    addSidePanel(
      app,
      panel,
      {
        area: 'left',
        rank: 450,
        type: 'Agents',
        command: SHOW_AGENTS,
        label: trans.__('Show Conversations'),
        caption: trans.__('Show the chats of this folder and their sub-agents')
      },
      { trans, palette, restorer }
    );
  }
});

/** Ask the server for the conversations of a folder; reject with its reason if it cannot tell. */
async function listAgents(
  folder: string,
  settings: ServerConnection.ISettings
): Promise<unknown> {
  const query = URLExt.objectToQueryString({ folder });
  const url = URLExt.join(settings.baseUrl, 'msgbook/agents') + query;
  const response = await ServerConnection.makeRequest(url, {}, settings);
  if (!response.ok) {
    throw await ServerConnection.ResponseError.create(response);
  }
  return response.json();
}

const OPEN_APPROVALS = 'msgbook:open-approvals';

/** Plugin that adds the side panel "Approvals". */
export const approvalsPlugin = plugin({
  id: '@msgbook/labextension:approvals',
  description:
    'Shows the calls of all chats that wait for approval, and the approval rules.',
  requires: [IPageConnections],
  optional: [ICommandPalette, ILayoutRestorer],
  activate: (app, trans, connections, palette, restorer) => {
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
        command: OPEN_APPROVALS,
        label: trans.__('Show Approvals'),
        caption: trans.__(
          'Show the calls of all chats that wait for approval, and the approval rules'
        )
      },
      { trans, palette, restorer }
    );
  }
});

/** Plugin that shows the tokens of a notebook in the status bar. */
export const statusBarPlugin = plugin({
  id: '@msgbook/labextension:status-bar',
  description: 'Shows the tokens and the cost of a chat in the status bar.',
  requires: [IPageConnections],
  optional: [IStatusBar],
  activate: (app, trans, connections, statusBar) => {
    if (statusBar === null) {
      return;
    }
    const item = new UsageItem(
      app.shell,
      connections,
      trans,
      () => void app.commands.execute(OPEN_CONTEXT)
    );
    statusBar.registerStatusItem(statusBarPlugin.id, {
      item,
      align: 'left',
      rank: 10,
      isActive: () => item.isActive,
      activeStateChanged: item.activeChanged
    });
  }
});

/** Command that shows the Context panel. */
const OPEN_CONTEXT = 'msgbook:open-context';

/** Plugin that adds the side panel "Context". */
export const contextPlugin = plugin({
  id: '@msgbook/labextension:context',
  description: 'Shows what the active message sends to the model.',
  requires: [IPageConnections],
  optional: [ICommandPalette, ILayoutRestorer],
  activate: (app, trans, connections, palette, restorer) => {
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
        caption: trans.__('Show what the active message sends to the model')
      },
      { trans, palette, restorer }
    );
  }
});
