import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { URLExt } from '@jupyterlab/coreutils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ServerConnection } from '@jupyterlab/services';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { agentsIcon } from '../icons';
import { errorText } from '../live/errorText';
import { openNotebook } from '../live/openNotebook';
import { AgentsModel } from '../panels/agentsModel';
import { AgentsPanel } from '../panels/agentsPanel';
import { makeFocusable, showPanel } from '../panels/sidePanel';
import { IPageConnections } from '../tokens';

const SHOW_AGENTS = 'msgbook:show-agents';

/** Id of the panel, by which JupyterLab restores it. */
const PANEL_ID = 'msgbook-agents';

/** Plugin that shows the conversations of a folder and their sub-agents. */
export const agentsPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:agents',
  description: 'Shows the conversations of a folder and their sub-agents.',
  autoStart: true,
  requires: [IPageConnections],
  optional: [
    ITranslator,
    ICommandPalette,
    IDefaultFileBrowser,
    ILayoutRestorer
  ],
  activate: (
    app: JupyterFrontEnd,
    connections: IPageConnections,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    browser: IDefaultFileBrowser | null,
    restorer: ILayoutRestorer | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
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
    panel.id = PANEL_ID;
    panel.title.icon = agentsIcon;
    panel.title.caption = trans.__('Agents');
    panel.node.setAttribute('role', 'region');
    panel.node.setAttribute('aria-label', trans.__('Agents'));
    makeFocusable(app.shell, panel);
    app.shell.add(panel, 'left', { rank: 450, type: 'Agents' });
    restorer?.add(panel, PANEL_ID);

    app.commands.addCommand(SHOW_AGENTS, {
      label: trans.__('Show Agents'),
      caption: trans.__(
        'Show the conversations of this folder and their sub-agents'
      ),
      icon: agentsIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => showPanel(app.shell, panel)
    });
    palette?.addItem({ command: SHOW_AGENTS, category: trans.__('Chat') });
  }
};

/** Ask the server for the agents of a folder; reject with its reason if it cannot tell. */
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
