import { JSONExt } from '@lumino/coreutils';

import { turnBundle } from './turnBundle';
import type { TurnJson } from '../turn/delta';
import type { ITurnPage } from './turnPage';

/** A turn that the kernel is at work on, as far as this page knows. */
export interface ILiveTurn {
  readonly cellId: string;
  readonly displayId: string;
  /** Number of the last change in `turn`. */
  seq: number;
  turn: TurnJson;
  /** Whether a change is missing, so that `turn` is not what the kernel has. */
  lost: boolean;
  /** Whether another page or an earlier visit to this one runs the cell. */
  readonly adopted: boolean;
  /** Whether it has ended, and the page that writes it has yet to write that. */
  ended: boolean;
  /** The turn that stands in the output model. */
  written: TurnJson | null;
}

/** The outputs of a notebook's cells, where live turns are written. */
export class TurnOutputs {
  constructor(page: ITurnPage) {
    this._page = page;
  }

  /** Write a turn into the outputs; where it is missing there, only if it is to be added. */
  put(live: ILiveTurn, add: boolean): void {
    const { cellId, turn } = live;
    // What the kernel has written itself has the better Markdown.
    const written = JSONExt.deepEqual(this._page.turn(cellId), turn);
    if (!written && !this._page.replace(cellId, turnBundle(turn)) && add) {
      this._page.add(cellId, turnBundle(turn));
    }
    live.written = turn;
  }

  /** See that a turn is among its cell's outputs, as it stands. */
  ensure(live: ILiveTurn): void {
    const data = turnBundle(live.turn);
    if (!this._page.replace(live.cellId, data)) {
      this._page.add(live.cellId, data);
    }
    live.written = live.turn;
  }

  /** Give a turn that this page did not start its place among the outputs. */
  adopt(live: ILiveTurn, begins: boolean): void {
    const there = this._page.turn(live.cellId);
    const isOld = there ? there.started !== live.turn.started : begins;
    // A shared document was cleared by the page that ran the cell.
    if (isOld && !this._page.isShared) {
      this._page.clear(live.cellId);
    }
    this.put(live, true);
    this._page.setRunning(live.cellId, true);
  }

  /** Whether the end of a turn has come into the document, or something else in its place. */
  isOver({ cellId, turn }: ILiveTurn): boolean {
    const there = this._page.turn(cellId);
    return (
      there === null ||
      there.status !== 'running' ||
      there.started !== turn.started
    );
  }

  private readonly _page: ITurnPage;
}
