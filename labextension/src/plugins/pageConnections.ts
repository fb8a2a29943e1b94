import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { KERNEL_NAME } from '../comm/kernelLink';
import { PageConnection } from '../live/pageConnection';
import { TURN_RANK, turnRendererFactory } from '../render/factory';

const GO_TO_APPROVAL = 'msgbook:go-to-approval';

/**
 * Plugin that connects each notebook to its msgbook kernel, for live cells, turns and approvals.
 *
 * The command focuses the question and none of its buttons, so that a key pressed before approves
 * nothing.
 */
export const pageConnectionsPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:conversations',
  description:
    'Gives the msgbook kernel the live cells of its notebook, shows turns as they grow and asks for approval.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const connections = new WeakMap<NotebookPanel, PageConnection>();
    const openConversation = (path: string) =>
      void app.commands.execute('docmanager:open', {
        path,
        factory: 'Notebook'
      });
    const join = (panel: NotebookPanel) => {
      markChat(panel);
      const connection = new PageConnection(
        panel,
        app.serviceManager.contents,
        openConversation
      );
      connections.set(panel, connection);
      panel.content.rendermime.addFactory(
        turnRendererFactory(trans, connection, renderer =>
          connection.cells.track(renderer)
        ),
        TURN_RANK
      );
    };
    notebooks.forEach(join);
    notebooks.widgetAdded.connect((_, panel) => join(panel));

    app.commands.addCommand(GO_TO_APPROVAL, {
      label: trans.__('Go to the Call That Waits for Approval'),
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => notebooks.currentWidget !== null,
      execute: async () => {
        const panel = notebooks.currentWidget;
        await (panel && connections.get(panel)?.goToQuestion());
      }
    });
    app.commands.addKeyBinding({
      command: GO_TO_APPROVAL,
      keys: ['Accel Shift Y'],
      selector: '.jp-Notebook'
    });
    palette?.addItem({
      command: GO_TO_APPROVAL,
      category: trans.__('Chat')
    });
  }
};

/** Mark a notebook that is a chat, so that the style sheet wraps its lines. */
function markChat({ content, sessionContext }: NotebookPanel): void {
  const mark = () => {
    const { kernelPreference, session } = sessionContext;
    const name = session?.kernel?.name ?? kernelPreference.name;
    content.toggleClass('msgbook-mod-chat', name === KERNEL_NAME);
  };
  sessionContext.kernelPreferenceChanged.connect(mark);
  sessionContext.kernelChanged.connect(mark);
  mark();
}
