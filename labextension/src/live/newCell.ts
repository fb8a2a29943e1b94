import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import {
  NotebookActions,
  type INotebookModel,
  type Notebook,
  type NotebookPanel
} from '@jupyterlab/notebook';

import { asOneChange } from './undo';

/** What a new cell holds. */
export interface INewCell {
  readonly cell_type: 'code' | 'markdown';
  readonly source: string;
}

/** Insert a cell, as one change that can be undone. */
export function insertCell(
  model: Pick<INotebookModel, 'sharedModel'>,
  index: number,
  cell: INewCell
): void {
  const metadata = cell.cell_type === 'code' ? { trusted: true } : {};
  asOneChange(model, () =>
    model.sharedModel.insertCell(index, { ...cell, metadata })
  );
}

/** Make a cell the active one, and the only one that is selected. */
export function activateCell(notebook: Notebook, index: number): void {
  notebook.activeCellIndex = index;
  notebook.deselectAll();
}

/** Run a cell where it stands. */
export async function runCell(
  { content, sessionContext }: NotebookPanel,
  cell: Cell,
  dialogs?: ISessionContextDialogs
): Promise<void> {
  await NotebookActions.runCells(content, [cell], sessionContext, dialogs);
}
