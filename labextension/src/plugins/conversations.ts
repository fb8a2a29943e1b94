import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { KERNEL_NAME } from '../comm/kernelLink';
import { Conversation } from '../live/conversation';
import { TURN_RANK, turnRendererFactory } from '../render/factory';

const GO_TO_APPROVAL = 'msgbook:go-to-approval';

/**
 * Joins each notebook to its msgbook kernel: live cells, growing turns, approvals.
 *
 * The command gives the keyboard the question and not one of its buttons, so that a key that was
 * already on its way approves nothing.
 */
export const conversationsPlugin: JupyterFrontEndPlugin<void> = {
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
    const conversations = new WeakMap<NotebookPanel, Conversation>();
    const join = (panel: NotebookPanel) => {
      markChat(panel);
      const conversation = new Conversation(panel);
      conversations.set(panel, conversation);
      panel.content.rendermime.addFactory(
        turnRendererFactory(trans, conversation, renderer =>
          conversation.page.track(renderer)
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
        await (panel && conversations.get(panel)?.goToQuestion());
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

/** Mark a notebook that is a chat, for the style sheet: its messages are prose. */
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
