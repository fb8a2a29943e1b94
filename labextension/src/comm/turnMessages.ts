import { turnJson, type TurnJson } from '../turn/delta';
import { asText, isObject } from '../turn/model';
import type { IMessage } from './handlers';
import type { JSONObject } from '@lumino/coreutils';

/** The kernel's message with a turn, when it begins or was asked for (docs/protocol.md). */
export interface ITurnMessage {
  /** Id of the question that it answers; absent when a turn begins. */
  readonly requestId?: string;
  readonly cellId: string;
  readonly displayId: string;
  /** Number of the last change in `turn`. */
  readonly seq: number;
  readonly turn: TurnJson;
  /** Whether an earlier kernel left it behind: the notebook may have more of it. */
  readonly recovered: boolean;
}

/** Changes of a turn (docs/protocol.md). */
export interface ITurnDelta {
  readonly displayId: string;
  /** Number of the change, from 1 for each display. */
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

/** Return the writer that a `turn` or a `turn.writer` names; null if it names none. */
export function parseTurnWriter(data: IMessage): ITurnWriter | null {
  const cellId = asText(data.cell_id);
  const displayId = asText(data.display_id);
  const writer = data.writer === null ? null : asText(data.writer);
  return cellId && displayId && writer !== undefined
    ? { cellId, displayId, writer, asks: data.type === 'turn.writer' }
    : null;
}

/** Return the turn of a `turn`; null if there is none or it is not well formed. */
export function parseTurnMessage(data: IMessage): ITurnMessage | null {
  const cellId = asText(data.cell_id);
  const displayId = asText(data.display_id);
  const turn = turnJson(data.turn);
  if (!cellId || !displayId || turn === null || !isCount(data.seq)) {
    return null;
  }
  const requestId = asText(data.request_id);
  const recovered = data.recovered === true;
  return { requestId, cellId, displayId, seq: data.seq, turn, recovered };
}

/** Return the changes of a `turn.delta`; null if it is not well formed. */
export function parseTurnDelta(data: IMessage): ITurnDelta | null {
  const displayId = asText(data.display_id);
  return displayId !== undefined && isCount(data.seq)
    ? { displayId, seq: data.seq, ops: data.ops }
    : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The kernel's request to save AgentMetadata in the notebook (docs/protocol.md). */
export interface IAgentKeep {
  /** The cell that runs: only its notebook is meant. */
  readonly cellId: string;
  readonly agentMetadata: JSONObject;
  /** Client session of the page that writes a shared document; null where any page does. */
  readonly writer: string | null;
}

/** Return the request of an `agent.keep`; null if it is not well formed. */
export function parseAgentKeep(data: IMessage): IAgentKeep | null {
  const { cell_id: cellId, agent_metadata: agentMetadata } = data;
  return typeof cellId === 'string' && isObject(agentMetadata)
    ? {
        cellId,
        agentMetadata: agentMetadata as JSONObject,
        writer: asText(data.writer) ?? null
      }
    : null;
}

/** What a model gets of a cell: all of it, nothing or its summary. */
export type History = 'include' | 'exclude' | 'summary';

const HISTORIES: readonly unknown[] = ['include', 'exclude', 'summary'];

/** Return `value` if it is what a model can get of a cell. */
export function asHistory(value: unknown): History | undefined {
  return HISTORIES.includes(value) ? (value as History) : undefined;
}

/** The kernel's request to set the history of cells (docs/protocol.md). */
export interface IHistoryMark {
  readonly cells: ReadonlySet<string>;
  readonly history: History;
  /** Client session of the page that marks a shared document; null where any page does. */
  readonly writer: string | null;
}

/** Return the request of a `cells.mark`; null if it is not well formed. */
export function parseHistoryMark(data: IMessage): IHistoryMark | null {
  const { cells, history } = data;
  return Array.isArray(cells) &&
    cells.every(id => typeof id === 'string') &&
    HISTORIES.includes(history)
    ? {
        cells: new Set(cells),
        history: history as History,
        writer: asText(data.writer) ?? null
      }
    : null;
}
