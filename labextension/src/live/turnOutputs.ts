import { JSONExt } from '@lumino/coreutils';

import type { TurnJson } from '../turn/delta';
import { asText } from '../turn/model';
import { turnBundle } from './turnBundle';
import type { ILiveTurn } from './liveTurn';
import type { ITurnCells } from './turnCells';

/** Writer of live turns into the outputs of a notebook. */
export class TurnOutputs {
  constructor(cells: ITurnCells) {
    this._cells = cells;
  }

  /** Replace a turn in the outputs; with `add`, also write it if it is missing. */
  put(live: ILiveTurn, add: boolean): void {
    const { cellId, turn } = live;
    // An output from the kernel has better Markdown.
    const written = JSONExt.deepEqual(this._cells.turn(cellId), turn);
    if (!written && !this._cells.replace(cellId, turnBundle(turn)) && add) {
      this._cells.add(cellId, turnBundle(turn));
    }
    live.written = turn;
  }

  /** Write a turn to its cell's outputs even if it is missing there. */
  ensure(live: ILiveTurn): void {
    const data = turnBundle(live.turn);
    if (!this._cells.replace(live.cellId, data)) {
      this._cells.add(live.cellId, data);
    }
    live.written = live.turn;
  }

  /** Write a turn that this page did not start, in place of an older one. */
  adopt(live: ILiveTurn, begins: boolean): void {
    const there = this._cells.turn(live.cellId);
    const isOld = there ? there.started !== live.turn.started : begins;
    // The page that ran the cell has cleared a shared document.
    if (isOld && !this._cells.isShared) {
      this._cells.clear(live.cellId);
    }
    this.put(live, true);
    this._cells.setRunning(live.cellId, true);
  }

  /** Return whether the document holds a later turn, or as much of this one. */
  hasMore({ cellId, turn }: ILiveTurn): boolean {
    const there = this._cells.turn(cellId);
    if (there === null || there.started !== turn.started) {
      return later(there?.started, turn.started);
    }
    const size = (value: TurnJson) => JSON.stringify(value.blocks).length;
    return size(there) >= size(turn);
  }

  /** Return whether the document holds the end of a turn, or something else in its place. */
  isOver({ cellId, turn }: ILiveTurn): boolean {
    const there = this._cells.turn(cellId);
    return (
      there === null ||
      there.status !== 'running' ||
      there.started !== turn.started
    );
  }

  private readonly _cells: ITurnCells;
}

/** Return whether one time is after another; both are from a file and may be anything. */
function later(one: unknown, other: unknown): boolean {
  return Date.parse(asText(one) ?? '') > Date.parse(asText(other) ?? '');
}
