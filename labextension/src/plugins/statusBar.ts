import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { UsageItem } from '../panels/usageItem';
import { IPageConnections } from '../tokens';
import { OPEN_CONTEXT } from './context';

/** Plugin that shows the tokens of a notebook in the status bar. */
export const statusBarPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:status-bar',
  description: 'Shows the tokens and the cost of a chat in the status bar.',
  autoStart: true,
  requires: [IPageConnections],
  optional: [IStatusBar, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    connections: IPageConnections,
    statusBar: IStatusBar | null,
    translator: ITranslator | null
  ) => {
    if (statusBar === null) {
      return;
    }
    const trans = (translator ?? nullTranslator).load('msgbook');
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
};
