import type { ICellModel } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';
import { UUID } from '@lumino/coreutils';

import { asText, nullOr, or, whole } from '../turn/reading';

/** Return the question of a `cells.get` for the live cells; null if it is not well formed. */
export const parseCellsQuestion = whole(
  {
    requestId: asText,
    /** Id of the cell that runs; null for all cells, without outputs and attachments. */
    cellId: nullOr(asText)
  },
  {
    /** The revision of an answer that the kernel still has; null when it has none. */
    known: or(asText, null)
  }
);

export type ICellsQuestion = NonNullable<ReturnType<typeof parseCellsQuestion>>;

/** Stand-in for a cell that the kernel has unchanged. */
export type UnchangedCell = { id: string; unchanged: true };

/** The page's answer (docs/protocol.md). */
export type CellsAnswer = {
  type: 'cells';
  request_id: string;
  cells: (nbformat.ICell | UnchangedCell)[] | null;
  /** How many of the first cells of the answer `since` come before those in `cells`, unchanged. */
  same?: number;
  revision?: string;
  /** The revision with which the unchanged cells were compared. */
  since?: string;
  metadata?: nbformat.INotebookMetadata;
};

/** A cell whose content is read only if it is sent. */
export interface ICellSource {
  readonly id: string;
  /** An object that is replaced by another one with each change of the cell's JSON. */
  readonly state: object;
  toJSON(): nbformat.ICell;
}

/** Number of answers that a later one may be built upon. */
const KEPT = 8;

/** States of cells by id; null for an id that several cells had. */
type States = ReadonlyMap<string, object | null>;

/** What the kernel has after an answer. */
interface ITold {
  /** Ids of the cells of the answer itself, in their order. */
  readonly order: readonly string[];
  readonly states: States;
}

/**
 * Answers to the kernel's questions for the cells of one notebook.
 *
 * A cell that the kernel has is only named. What it has follows from the revision in its question:
 * several questions may name the same one, because they are sent before the answers arrive.
 */
export class CellsReporter {
  /** Return the cells from the first through the one that runs, or all. */
  answer(
    question: ICellsQuestion,
    cells: Iterable<ICellSource>,
    metadata: () => nbformat.INotebookMetadata
  ): CellsAnswer {
    const all = Array.from(cells);
    const answer = { type: 'cells', request_id: question.requestId } as const;
    if (question.cellId === null) {
      return { ...answer, cells: all.map(bareJson), metadata: metadata() };
    }
    const running = all.findIndex(cell => cell.id === question.cellId);
    if (running === -1) {
      return { ...answer, cells: null };
    }
    const { known } = question;
    const before = known === null ? undefined : this._told.get(known);
    const through = all.slice(0, running + 1);
    const same = before === undefined ? 0 : countSame(through, before);
    const sent = through
      .slice(same)
      .map(cell =>
        before?.states.get(cell.id) === cell.state
          ? { id: cell.id, unchanged: true as const }
          : cellJson(cell)
      );
    const revision = UUID.uuid4();
    this._keep(revision, {
      order: through.map(({ id }) => id),
      states: statesAfter(through, all.slice(running + 1), before?.states)
    });
    const since = before === undefined ? {} : { since: known!, same };
    return { ...answer, cells: sent, revision, ...since, metadata: metadata() };
  }

  /** Forget all answers: the kernel that had them is gone. */
  forget(): void {
    this._told.clear();
  }

  private _keep(revision: string, told: ITold): void {
    this._told.set(revision, told);
    Array.from(this._told.keys())
      .slice(0, -KEPT)
      .forEach(old => this._told.delete(old));
  }

  /** What the kernel has after each answer, by revision; the oldest first. */
  private readonly _told = new Map<string, ITold>();
}

/** Return how many of the first cells are those of an answer, unchanged. */
function countSame(
  cells: readonly ICellSource[],
  { order, states }: ITold
): number {
  const first = cells.findIndex(
    ({ id, state }, index) => order[index] !== id || states.get(id) !== state
  );
  return first === -1 ? cells.length : first;
}

/** Return what the kernel has after an answer: the cells in it, and of those below what it had. */
function statesAfter(
  sent: readonly ICellSource[],
  below: readonly ICellSource[],
  before: States | undefined
): States {
  const states = new Map<string, object | null>();
  const add = (id: string, state: object | null) =>
    // The kernel cannot distinguish two cells with one id.
    states.set(id, states.has(id) ? null : state);
  sent.forEach(({ id, state }) => add(id, state));
  below.forEach(({ id }) => add(id, before?.get(id) ?? null));
  return states;
}

/** Return a cell without its outputs and attached images, which may be large. */
function bareJson(cell: ICellSource): nbformat.ICell {
  const { id, cell_type, source, metadata } = cellJson(cell);
  return { id, cell_type, source, metadata };
}

function cellJson(cell: ICellSource): nbformat.ICell {
  const json = cell.toJSON();
  const { source } = json;
  return {
    ...json,
    id: cell.id,
    source: Array.isArray(source) ? source.join('') : source
  };
}

/** The part of Yjs's map of a cell that is used here. */
interface IObserved {
  observeDeep(changed: () => void): void;
}

/**
 * The state of each cell that was asked for, by the map that the cell's JSON is made from.
 *
 * The cell's own signal leaves out the changes of outputs that come from this page's kernel.
 */
const states = new WeakMap<IObserved, object>();

/** Return a cell as it is told to the kernel. */
export function cellSource(cell: ICellModel): ICellSource {
  return {
    id: cell.id,
    get state() {
      return stateOf(cell);
    },
    toJSON: () => cell.toJSON()
  };
}

function stateOf({ sharedModel }: ICellModel): object {
  const { ymodel } = sharedModel as unknown as { ymodel?: IObserved };
  if (ymodel === undefined) {
    // No change of it is told: each look may be at another state.
    return {};
  }
  let state = states.get(ymodel);
  if (state === undefined) {
    ymodel.observeDeep(() => states.set(ymodel, {}));
    state = {};
    states.set(ymodel, state);
  }
  return state;
}
