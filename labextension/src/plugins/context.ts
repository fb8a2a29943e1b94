import { ILayoutRestorer } from '@jupyterlab/application';
import { plugin } from './plugin';
import { IStatusBar } from '@jupyterlab/statusbar';
import { UsageItem } from '../panels/usageItem';
import { IPageConnections } from '../tokens';
import { ICommandPalette } from '@jupyterlab/apputils';
import { addSidePanel } from '../panels/sidePanel';
import { ContextPanel } from '../panels/contextView';

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
export const OPEN_CONTEXT = 'msgbook:open-context';

/** Plugin that adds the side panel "Context". */
export const contextPlugin = plugin({
  id: '@msgbook/labextension:context',
  description: 'Shows what the active prompt sends to the model.',
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
        caption: trans.__('Show what the active prompt sends to the model')
      },
      { trans, palette, restorer }
    );
  }
});
