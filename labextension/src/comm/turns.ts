import { turnJson, type TurnJson } from '../turn/delta';
import { isObject, text } from '../turn/model';

/** The kernel's word that a turn is there, or how it stands (docs/protocol.md). */
export interface ITurnMessage {
  /** Of the question it answers; absent when a turn begins. */
  readonly requestId?: string;
  readonly cellId: string;
  readonly displayId: string;
  /** Number of the last change that is in `turn`. */
  readonly seq: number;
  readonly turn: TurnJson;
}

/** Changes of a turn (docs/protocol.md). */
export interface ITurnDelta {
  readonly displayId: string;
  /** Counts from 1 up for each display. */
  readonly seq: number;
  /** Not checked yet: see `applyOps`. */
  readonly ops: unknown;
}

/** The page that writes a turn into a shared document (docs/protocol.md). */
export interface ITurnWriter {
  readonly cellId: string;
  readonly displayId: string;
  /** Client session of the page; null where any may take over. */
  readonly writer: string | null;
  /** Whether the kernel waits for an answer of that page. */
  readonly asks: boolean;
}

/** Who writes, in a comm message about a turn; null when it does not say, or is not well formed. */
export function parseTurnWriter(data: unknown): ITurnWriter | null {
  if (!isObject(data) || !['turn', 'turn.writer'].includes(String(data.type))) {
    return null;
  }
  const cellId = text(data.cell_id);
  const displayId = text(data.display_id);
  const writer = data.writer === null ? null : text(data.writer);
  return cellId && displayId && writer !== undefined
    ? { cellId, displayId, writer, asks: data.type === 'turn.writer' }
    : null;
}

/** The turn in a comm message, null when there is none or it is not well formed. */
export function parseTurnMessage(data: unknown): ITurnMessage | null {
  if (!isObject(data) || data.type !== 'turn') {
    return null;
  }
  const cellId = text(data.cell_id);
  const displayId = text(data.display_id);
  const turn = turnJson(data.turn);
  if (!cellId || !displayId || turn === null || !isCount(data.seq)) {
    return null;
  }
  const requestId = text(data.request_id);
  return { requestId, cellId, displayId, seq: data.seq, turn };
}

/** The cell that a comm message about a turn names, also where there is no turn; else null. */
export function parseTurnCell(data: unknown): string | null {
  return isObject(data) && data.type === 'turn'
    ? (text(data.cell_id) ?? null)
    : null;
}

/** The changes in a comm message, null when there are none or it is not well formed. */
export function parseTurnDelta(data: unknown): ITurnDelta | null {
  if (!isObject(data) || data.type !== 'turn.delta') {
    return null;
  }
  const displayId = text(data.display_id);
  return displayId !== undefined && isCount(data.seq)
    ? { displayId, seq: data.seq, ops: data.ops }
    : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
