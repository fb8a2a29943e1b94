import type { JSONObject } from '@lumino/coreutils';
import { turnJson } from '../turn/delta';
import {
  asText,
  isObject,
  isTrue,
  nullOr,
  oneOf,
  or,
  whole
} from '../turn/reading';
import type { IMessage } from './handlers';

/** Client session of the page that changes a shared document; null where any page does. */
const asWriter = or(asText, null);

/** Return the turn of a `turn`, when it begins or was asked for; null if it is not well formed. */
export const parseTurnMessage = whole(
  {
    cellId: asText,
    displayId: asText,
    /** Number of the last change in `turn`. */
    seq: asCount,
    turn: value => turnJson(value) ?? undefined
  },
  {
    /** Id of the question that it answers; absent when a turn begins. */
    requestId: asText,
    /** Whether an earlier kernel left it behind: the notebook may have more of it. */
    recovered: isTrue
  }
);

export type ITurnMessage = NonNullable<ReturnType<typeof parseTurnMessage>>;

/** Return the changes of a `turn.delta`; null if it is not well formed. */
export const parseTurnDelta = whole(
  {
    displayId: asText,
    /** Number of the change, from 1 for each display. */
    seq: asCount
  },
  {
    /** Not checked yet: see `applyOps`. */
    ops: (value: unknown) => value
  }
);

export type ITurnDelta = NonNullable<ReturnType<typeof parseTurnDelta>>;

const readTurnWriter = whole({
  cellId: asText,
  displayId: asText,
  /** Client session of the page that writes the turn; null where any may take over. */
  writer: nullOr(asText)
});

/** The page that writes a turn into a shared document. */
export type ITurnWriter = NonNullable<ReturnType<typeof readTurnWriter>> & {
  /** Whether the kernel waits for an answer of that page. */
  readonly asks: boolean;
};

/** Return the writer that a `turn` or a `turn.writer` names; null if it names none. */
export function parseTurnWriter(data: IMessage): ITurnWriter | null {
  const named = readTurnWriter(data);
  return named && { ...named, asks: data.type === 'turn.writer' };
}

function asCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : undefined;
}

/** Return the request of an `agent.keep` to save AgentMetadata; null if it is not well formed. */
export const parseAgentKeep = whole(
  {
    /** The cell that runs: only its notebook is meant. */
    cellId: value => (typeof value === 'string' ? value : undefined),
    agentMetadata: value =>
      isObject(value) ? (value as JSONObject) : undefined
  },
  { writer: asWriter }
);

export type IAgentKeep = NonNullable<ReturnType<typeof parseAgentKeep>>;

/** Return `value` if it is what a model can get of a cell: all of it, nothing or its summary. */
export const asHistory = oneOf('include', 'exclude', 'summary');

export type History = NonNullable<ReturnType<typeof asHistory>>;

/** Return the request of a `cells.mark` to set the history of cells; null if it is not well formed. */
export const parseHistoryMark = whole(
  { cells: asIds, history: asHistory },
  { writer: asWriter }
);

export type IHistoryMark = NonNullable<ReturnType<typeof parseHistoryMark>>;

function asIds(value: unknown): ReadonlySet<string> | undefined {
  return Array.isArray(value) && value.every(id => typeof id === 'string')
    ? new Set(value)
    : undefined;
}
