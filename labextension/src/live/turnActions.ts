import {
  type ISessionContextDialogs,
  Notification
} from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Queries } from '../comm/queries';
import type { TurnAction } from '../render/host';
import { errorText } from '../turn/text';
import { indexOfCell } from './codeCells';
import { activateCell, insertCell, runCell } from './documentChanges';

/** Do what a person wants to be done with the turn of a cell; tell them if it cannot be done. */
export async function runAction(
  panel: NotebookPanel,
  queries: Queries,
  cellId: string,
  action: Exclude<TurnAction, { kind: 'model' | 'swap' }>
): Promise<void> {
  try {
    switch (action.kind) {
      case 'continue':
        await continueBelow(panel, cellId);
        return;
      case 'interrupt':
        await panel.sessionContext.session?.kernel?.interrupt();
        return;
      case 'again':
        await runAgain(panel, cellId);
        return;
      case 'retry':
        await queries.ask('retry.now', { cell_id: cellId });
        return;
      case 'stop':
        await queries.ask('subagent.stop', {
          cell_id: cellId,
          uuid: action.uuid
        });
    }
  } catch (reason) {
    Notification.warning(errorText(reason));
  }
}

/** Insert a cell with `%continue` below a cell, as one undoable change, and run it. */
async function continueBelow(
  panel: NotebookPanel,
  cellId: string
): Promise<void> {
  const index = indexOfCell(panel.content, cellId);
  if (index !== -1) {
    await runBelow(panel, index, '%continue');
  }
}

/** Insert a cell below a place, as one undoable change, and run it. */
export async function runBelow(
  panel: NotebookPanel,
  index: number,
  source: string,
  dialogs?: ISessionContextDialogs
): Promise<void> {
  const { content: notebook } = panel;
  if (notebook.model === null) {
    return;
  }
  insertCell(notebook.model, index + 1, { cell_type: 'code', source });
  activateCell(notebook, index + 1);
  const added = notebook.widgets[index + 1];
  // It is drawn first: its answer makes it longer.
  await notebook.scrollToItem(index + 1, 'center');
  await added.ready;
  await runCell(panel, added, dialogs);
}

/** Run a cell in its place; its answer is replaced. */
async function runAgain(panel: NotebookPanel, cellId: string): Promise<void> {
  const cell = panel.content.widgets[indexOfCell(panel.content, cellId)];
  if (cell !== undefined) {
    await runCell(panel, cell);
  }
}
