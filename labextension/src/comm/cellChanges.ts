import type * as nbformat from '@jupyterlab/nbformat';

import { asText, isObject } from '../turn/model';
import type { IMessage } from './handlers';

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
