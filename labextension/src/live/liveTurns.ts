import type { JSONObject } from '@lumino/coreutils';

import {
  parseTurnCell,
  parseTurnDelta,
  parseTurnMessage,
  parseTurnWriter,
  type ITurnDelta,
  type ITurnMessage
} from '../comm/turns';
import { applyOps, turnJson, type TurnJson } from '../turn/delta';
import { TURN_MIME } from '../turn/model';
import { TurnOutputs, type ILiveTurn } from './turnOutputs';
import type { ITurnPage } from './turnPage';
import { TurnRequests } from './turnRequests';
import { Writers } from './writers';

/** How long what is shown may be ahead of the output model, in milliseconds. */
export const WRITE_INTERVAL = 1000;

/**
 * The turns of one notebook that the kernel is at work on.
 *
 * Between two full bundles the kernel sends changes. Here they make the turn that is shown at once
 * and written into the cell's outputs now and then, so that a notebook which is saved, or whose
 * kernel dies, has what was seen. Outputs that a person cleared are not brought back.
 *
 * Of the pages that share a document one writes; the others show what they are told.
 */
export class LiveTurns {
  /** @param send - Sends a message to the kernel; false when it cannot be reached. */
  constructor(page: ITurnPage, send: (data: JSONObject) => boolean) {
    this._page = page;
    this._send = send;
    this._writers = new Writers(page, send);
    this._requests = new TurnRequests(page, send);
    this._outputs = new TurnOutputs(page);
  }

  /** Take in a message of the kernel; others than those of turns are ignored. */
  receive(data: unknown): void {
    const answered = parseTurnCell(data);
    if (answered !== null && this._requests.close(answered)) {
      this._page.refresh(answered);
    }
    const named = parseTurnWriter(data);
    const begins = named !== null && this._writers.name(named);
    const message = parseTurnMessage(data);
    if (message !== null) {
      this._take(message);
      return;
    }
    const delta = parseTurnDelta(data);
    if (delta !== null) {
      this._change(delta);
    } else if (named !== null && begins) {
      this._takeOver(named.displayId);
    }
  }

  /** The turn of a cell as it stands; null where its output is the last word. */
  current(cellId: string): TurnJson | null {
    const live = this._turns.get(cellId);
    if (live?.ended && this._outputs.isOver(live)) {
      this._turns.delete(cellId);
      return null;
    }
    return live === undefined || live.lost ? null : live.turn;
  }

  /** Whether the kernel was asked for the turn of a cell a moment ago. */
  isAsked(cellId: string): boolean {
    return this._requests.isOpen(cellId);
  }

  /** Ask for what may be missing here: after the comm was opened, or the connection came back. */
  ask(): void {
    this._requests.askAnew();
  }

  /**
   * Take in the output of a display that the kernel sent to all.
   *
   * Returns: the cell that has it from here, as it did not run it itself; else null.
   */
  output(displayId: string, data: JSONObject): string | null {
    const live = this._find(displayId);
    const turn = turnJson(data[TURN_MIME]);
    if (live === undefined || turn === null || turn.status === 'running') {
      return null;
    }
    if (!this._writers.isOurs(displayId)) {
      this._leave(live, turn);
      return null;
    }
    this._page.replace(live.cellId, data);
    this._finish(live, turn);
    return live.adopted ? live.cellId : null;
  }

  /** See that a cell's live turn is among its outputs, where a question has to be shown. */
  ensureShown(cellId: string): void {
    const live = this._turns.get(cellId);
    if (live !== undefined && this._writers.isOurs(live.displayId)) {
      this._outputs.ensure(live);
    }
  }

  /** Write what is shown into the outputs. */
  write(): void {
    window.clearTimeout(this._timer);
    this._timer = undefined;
    for (const live of this._turns.values()) {
      const isOurs = this._writers.isOurs(live.displayId);
      if (isOurs && live.written !== live.turn && !live.lost) {
        this._outputs.put(live, false);
      }
    }
  }

  /** Keep what is shown: the kernel is gone, nothing more will come. */
  end(): void {
    this.write();
    for (const live of Array.from(this._turns.values())) {
      this._forget(live);
    }
    this._requests.clear();
    this._writers.clear();
  }

  private _take(message: ITurnMessage): void {
    const { cellId, displayId, seq, turn, requestId } = message;
    if (!this._page.has(cellId)) {
      this._requests.addStranger(displayId);
      return;
    }
    const before = this._turns.get(cellId);
    const known = before?.displayId === displayId ? before : undefined;
    if (known !== undefined && !known.lost && seq <= known.seq) {
      return;
    }
    const adopted = known?.adopted ?? !this._executes(cellId, displayId);
    const live: ILiveTurn = {
      ...{ cellId, displayId, seq, turn, adopted },
      ...{ lost: false, written: null, ended: false }
    };
    this._turns.set(cellId, live);
    if (!this._writers.isOurs(displayId)) {
      this._watch(live);
      return;
    }
    if (adopted && known === undefined) {
      this._outputs.adopt(live, requestId === undefined);
    }
    if (turn.status !== 'running') {
      this.write();
      this._finish(live, turn);
      return;
    }
    this._changed(live);
  }

  /** Show a turn that another page writes. */
  private _watch(live: ILiveTurn): void {
    if (live.turn.status === 'running') {
      this._changed(live);
    } else {
      this._leave(live, live.turn);
    }
  }

  /** Show a turn that has ended until the page that writes it has done so. */
  private _leave(live: ILiveTurn, turn: TurnJson): void {
    live.turn = turn;
    live.lost = false;
    live.ended = true;
    this._page.refresh(live.cellId);
  }

  /** Write a turn from here on, which another page has written so far. */
  private _takeOver(displayId: string): void {
    const live = this._find(displayId);
    if (live === undefined) {
      return;
    }
    this._outputs.put(live, true);
    if (live.ended) {
      this._finish(live, live.turn);
    } else {
      this._page.setRunning(live.cellId, true);
    }
  }

  private _change(delta: ITurnDelta): void {
    const live = this._find(delta.displayId);
    if (live === undefined) {
      this._requests.askForStranger(delta.displayId);
      return;
    }
    if (!live.lost && delta.seq <= live.seq) {
      return;
    }
    const turn =
      !live.lost && delta.seq === live.seq + 1
        ? applyOps(live.turn, delta.ops)
        : null;
    if (turn === null) {
      this._resync(live);
      return;
    }
    live.turn = turn;
    live.seq = delta.seq;
    this._changed(live);
  }

  private _resync(live: ILiveTurn): void {
    live.lost = true;
    if (!this._requests.isOpen(live.cellId)) {
      this._requests.ask(live.cellId);
    }
  }

  private _changed(live: ILiveTurn): void {
    this._page.refresh(live.cellId);
    this._timer ??= window.setTimeout(() => this.write(), WRITE_INTERVAL);
  }

  /** The turn has ended and stands in the outputs. */
  private _finish(live: ILiveTurn, turn: TurnJson): void {
    this._forget(live);
    this._writers.forget(live.displayId);
    this._send({ type: 'turn.seen', display_id: live.displayId });
    this._page.ended(turn);
  }

  private _forget(live: ILiveTurn): void {
    if (this._turns.get(live.cellId) === live) {
      this._turns.delete(live.cellId);
    }
    if (live.adopted) {
      this._page.setRunning(live.cellId, false);
    }
    this._page.refresh(live.cellId);
  }

  /** Whether this page runs the cell, and so gets its outputs from JupyterLab. */
  private _executes(cellId: string, displayId: string): boolean {
    return this._page.isShared
      ? this._writers.isOurs(displayId) && !this._writers.isTakenOver(displayId)
      : this._page.isRunning(cellId) && !this._turns.get(cellId)?.adopted;
  }

  private _find(displayId: string): ILiveTurn | undefined {
    for (const live of this._turns.values()) {
      if (live.displayId === displayId) {
        return live;
      }
    }
    return undefined;
  }

  private readonly _page: ITurnPage;
  private readonly _send: (data: JSONObject) => boolean;
  private readonly _writers: Writers;
  private readonly _requests: TurnRequests;
  private readonly _outputs: TurnOutputs;
  private readonly _turns = new Map<string, ILiveTurn>();
  private _timer: number | undefined;
}
