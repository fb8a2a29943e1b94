import type { JupyterFrontEnd } from '@jupyterlab/application';
import { forEachNotebook, plugin } from './plugin';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { bareCellIn } from '../live/chatNotebook';
import {
  ActionWatch,
  firstUnanswered,
  openAtEnd,
  openAtTop
} from '../view/openingPlace';
import { keepMessageReady } from '../live/messageReady';

/** Plugin that opens chats where the next message is written. */
export const openingPlugin = plugin({
  id: '@msgbook/labextension:opening',
  description: 'Opens a chat where one goes on, with an empty message ready.',
  requires: [INotebookTracker],
  activate: (app, trans, notebooks) => {
    const join = (panel: NotebookPanel) => void open(app, panel, trans);
    forEachNotebook(notebooks, join);
  }
});

async function open(
  { shell }: JupyterFrontEnd,
  panel: NotebookPanel,
  trans: TranslationBundle
): Promise<void> {
  const { content, context, sessionContext } = panel;
  const person = new ActionWatch(panel.node);
  await context.ready;
  // JupyterLab then gives the focus to the notebook, which ends edit mode.
  await panel.revealed;
  if (!isOpenedAsChat(panel)) {
    // Which kernel it has may be known only now.
    await sessionContext.ready;
  }
  person.dispose();
  if (panel.isDisposed || !isOpenedAsChat(panel)) {
    return;
  }
  keepMessageReady(context);
  const { footer } = content.layout as {
    footer?: { node: HTMLElement } | null;
  };
  if (footer && context.model.collaborative) {
    // No empty message stands above it.
    footer.node.textContent = trans.__('Write a message');
  }
  // Whoever reads already, or has the focus on a button, keeps the place.
  if (person.hasActed) {
    return;
  }
  const isInFront = () => shell.currentWidget === panel;
  const first = firstUnanswered(context.model.cells);
  if (first === -1) {
    await openAtEnd(panel, isInFront);
  } else {
    openAtTop(panel, first, isInFront);
  }
}

/**
 * Return whether a notebook that was read is a chat: JupyterLab takes the kernel from the file only later.
 *
 * One goes on at any place of a Python notebook with messages: it is opened as all of Python's.
 */
function isOpenedAsChat({ context, sessionContext }: NotebookPanel): boolean {
  const { session, kernelPreference } = sessionContext;
  const name = context.model.defaultKernelName || kernelPreference.name;
  const bare = bareCellIn({
    session,
    kernelPreference: { ...kernelPreference, name }
  });
  return bare === 'message';
}
