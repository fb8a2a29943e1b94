import type { CodeCellModel, ICellModel } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';
import { asOneChange, insertCell } from '../live/documentChanges';
import { asText, isObject, nullOr, oneOf, whole } from '../turn/reading';

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
  { cellId: running, change }: IChangeRequest
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
    : showOutputs(cell, change.outputs, change.executionCount);
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
  const code = cell as CodeCellModel;
  code.trusted = true;
  code.outputs.fromJSON(Array.from(outputs));
  code.executionCount = count;
  // Its source is what was run, also for the other pages of a shared notebook: a run tells JupyterLab there.
  code.executionState = 'running';
  code.executionState = 'idle';
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

const parseEdit = whole({
  kind: oneOf('edit'),
  cellId: asText,
  /** The source that the change was made from. */
  before: asText,
  after: asText
});

const parseInsertion = whole({
  kind: oneOf('insert'),
  /** The cell above the new one; null for the top. */
  after: nullOr(asText),
  cell: value => readNewCell(value) ?? undefined
});

const readNewCell = whole({
  id: asText,
  cell_type: oneOf('code', 'markdown'),
  source: asText
});

const parseOutputs = whole(
  {
    kind: oneOf('outputs'),
    cellId: asText,
    /** The source that was run. */
    before: asText,
    outputs: asOutputs
  },
  {
    executionCount: (value: unknown) =>
      typeof value === 'number' ? value : null
  }
);

function asOutputs(value: unknown): readonly nbformat.IOutput[] | undefined {
  return Array.isArray(value) && value.every(isOutput) ? value : undefined;
}

function isOutput(value: unknown): value is nbformat.IOutput {
  return isObject(value) && typeof value.output_type === 'string';
}

/** A change that a tool makes in the notebook (docs/protocol.md, `cells.change`). */
export type CellChange = NonNullable<
  ReturnType<typeof parseEdit | typeof parseInsertion | typeof parseOutputs>
>;

/** Return the kernel's request to change the notebook that has the running cell; null if it is not well formed. */
export const parseChangeRequest = whole({
  requestId: asText,
  /** The running cell. */
  cellId: asText,
  change: (value): CellChange | undefined =>
    parseEdit(value) ??
    parseInsertion(value) ??
    parseOutputs(value) ??
    undefined
});

export type IChangeRequest = NonNullable<ReturnType<typeof parseChangeRequest>>;

/** Why a change is not made; empty if it is made. */
export type ChangeProblem = '' | 'absent' | 'missing' | 'changed' | 'locked';
