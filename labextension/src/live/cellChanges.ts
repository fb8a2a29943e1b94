import type { CodeCellModel, ICellModel } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';
import { asOneChange, insertCell } from './documentChanges';
import { asText, isObject } from '../turn/model';
import type { IMessage } from '../comm/handlers';

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

/** A change that a tool makes in the notebook (docs/protocol.md, `cells.change`). */
export type CellChange =
  | {
      readonly kind: 'edit';
      readonly cellId: string;
      /** The source that the change was made from. */
      readonly before: string;
      readonly after: string;
    }
  | {
      readonly kind: 'insert';
      /** The cell above the new one; null for the top. */
      readonly after: string | null;
      readonly cell: {
        readonly id: string;
        readonly cell_type: 'code' | 'markdown';
        readonly source: string;
      };
    }
  | {
      readonly kind: 'outputs';
      readonly cellId: string;
      /** The source that was run. */
      readonly before: string;
      readonly outputs: readonly nbformat.IOutput[];
      readonly count: number | null;
    };

/** The kernel's request to change the notebook that has the running cell. */
export interface IChangeRequest {
  readonly requestId: string;
  readonly running: string;
  readonly change: CellChange;
}

/** Why a change is not made; empty if it is made. */
export type ChangeProblem = '' | 'absent' | 'missing' | 'changed' | 'locked';

/** Return the request of a `cells.change`; null if it is not well formed. */
export function parseChangeRequest(data: IMessage): IChangeRequest | null {
  const requestId = asText(data.request_id);
  const running = asText(data.cell_id);
  const change = isObject(data.change) ? parseChange(data.change) : null;
  return requestId === undefined || running === undefined || change === null
    ? null
    : { requestId, running, change };
}

function parseChange(data: Record<string, unknown>): CellChange | null {
  switch (data.kind) {
    case 'edit':
      return parseEdit(data);
    case 'insert':
      return parseInsertion(data);
    case 'outputs':
      return parseOutputs(data);
    default:
      return null;
  }
}

function parseEdit(data: Record<string, unknown>): CellChange | null {
  const [cellId, before, after] = [data.cell_id, data.before, data.after].map(
    asText
  );
  return cellId === undefined || before === undefined || after === undefined
    ? null
    : { kind: 'edit', cellId, before, after };
}

function parseInsertion(data: Record<string, unknown>): CellChange | null {
  const after = data.after === null ? null : asText(data.after);
  const cell = isObject(data.cell) ? data.cell : {};
  const [id, source] = [asText(cell.id), asText(cell.source)];
  const { cell_type } = cell;
  return after === undefined ||
    id === undefined ||
    source === undefined ||
    (cell_type !== 'code' && cell_type !== 'markdown')
    ? null
    : { kind: 'insert', after, cell: { id, cell_type, source } };
}

function parseOutputs(data: Record<string, unknown>): CellChange | null {
  const [cellId, before] = [asText(data.cell_id), asText(data.before)];
  const { outputs, execution_count: count } = data;
  return cellId === undefined ||
    before === undefined ||
    !Array.isArray(outputs) ||
    !outputs.every(isOutput)
    ? null
    : {
        kind: 'outputs',
        cellId,
        before,
        outputs,
        count: typeof count === 'number' ? count : null
      };
}

function isOutput(value: unknown): value is nbformat.IOutput {
  return isObject(value) && typeof value.output_type === 'string';
}
