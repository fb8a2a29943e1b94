import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';

import type {
  CellChange,
  ChangeProblem,
  IChangeRequest
} from '../comm/cellChanges';
import { asOneChange, insertCell } from './documentChanges';

/** The part of a notebook's model that is changed. */
export type ChangedNotebook = Pick<
  INotebookModel,
  'cells' | 'sharedModel' | 'readOnly'
>;

/**
 * Make a change that a tool asks for, if the notebook is still what the change was made from.
 *
 * A change of a source, and a new cell, are one change each that a person can undo.
 */
export function applyChange(
  model: ChangedNotebook,
  { running, change }: IChangeRequest
): ChangeProblem {
  const cells = Array.from(model.cells);
  if (!cells.some(({ id }) => id === running)) {
    return 'absent';
  }
  if (model.readOnly) {
    return 'locked';
  }
  if (change.kind === 'insert') {
    return insert(model, cells, change);
  }
  const found = cells.filter(({ id }) => id === change.cellId);
  if (found.length !== 1 || change.cellId === running) {
    return 'missing';
  }
  const [cell] = found;
  if (cell.sharedModel.getSource() !== change.before) {
    return 'changed';
  }
  return change.kind === 'edit'
    ? edit(model, cell, change.before, change.after)
    : showOutputs(cell, change.outputs, change.count);
}

function insert(
  model: ChangedNotebook,
  cells: readonly ICellModel[],
  { after, cell }: CellChange & { readonly kind: 'insert' }
): ChangeProblem {
  const above = cells.findIndex(({ id }) => id === after);
  if ((after !== null && above === -1) || cells.some(c => c.id === cell.id)) {
    return 'missing';
  }
  insertCell(model, above + 1, cell);
  return '';
}

function edit(
  model: ChangedNotebook,
  cell: ICellModel,
  before: string,
  after: string
): ChangeProblem {
  if (cell.type === 'raw' || cell.getMetadata('editable') === false) {
    return 'locked';
  }
  const [start, end] = differing(before, after);
  const changed = after.slice(start, after.length - (before.length - end));
  // Only what differs: cursors and the selections of others stay where they are.
  asOneChange(model, () => cell.sharedModel.updateSource(start, end, changed));
  return '';
}

/** Show what the code of a cell has put out; as after a run by hand, this cannot be undone. */
function showOutputs(
  cell: ICellModel,
  outputs: readonly nbformat.IOutput[],
  count: number | null
): ChangeProblem {
  if (cell.type !== 'code') {
    return 'missing';
  }
  const code = cell as ICodeCellModel;
  code.trusted = true;
  code.outputs.fromJSON(Array.from(outputs));
  code.executionCount = count;
  return '';
}

/** The halves of a character that is two units of a string; no change stands between them. */
const HIGH = /[\ud800-\udbff]/;
const LOW = /[\udc00-\udfff]/;

/** Return the place in the first text that differs from the second. */
function differing(before: string, after: string): [number, number] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) {
    start += 1;
  }
  if (start > 0 && HIGH.test(before[start - 1])) {
    start -= 1;
  }
  let same = 0;
  while (
    same < shorter - start &&
    before[before.length - 1 - same] === after[after.length - 1 - same]
  ) {
    same += 1;
  }
  if (same > 0 && LOW.test(before[before.length - same])) {
    same -= 1;
  }
  return [start, before.length - same];
}
