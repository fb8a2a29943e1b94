import type { JSONObject } from '@lumino/coreutils';

import {
  parseTurnCell,
  parseTurnDelta,
  parseTurnMessage,
  parseTurnWriter,
  type ITurnDelta,
  type ITurnMessage
} from '../comm/turnMessages';
import { turnJson, type TurnJson } from '../turn/delta';
import { TURN_MIME } from '../turn/model';
import { applyDelta, holdsChange, startLive, type ILiveTurn } from './liveTurn';
import { TurnOutputs } from './turnOutputs';
import type { ITurnCells } from './turnCells';
import { TurnRequests } from './turnRequests';
import { Writers } from './writers';

/** Longest time between a change and its place in the output model, in milliseconds. */
export const WRITE_INTERVAL = 1000;

/** Is told of the turns that this page writes. */
export interface ITurnWatcher {
  /** A turn begins; `adopted` says that this page does not run it. */
  begin(cellId: string, adopted: boolean): void;
  /** A running turn has grown in the outputs. */
  grow(): void;
  /** A turn has ended in the outputs; the promise resolves when it is safe there. */
  end(cellId: string, adopted: boolean): Promise<void> | undefined;
}

const NOBODY: ITurnWatcher = {
  begin: () => undefined,
  grow: () => undefined,
  end: () => undefined
};

/**
 * The running turns of one notebook.
 *
 * Between two full bundles the kernel sends changes. Each change is shown at once; the cell's
 * outputs are written now and then. So a notebook that is saved, or whose kernel dies, keeps what
 * was shown. Outputs that a person cleared are not brought back.
 *
 * Of the pages that share a document, one writes; the others only show.
 */
export class LiveTurns {
  /**
   * @param send - Sends a message to the kernel; returns false if it cannot be reached.
   */
  constructor(
    cells: ITurnCells,
    send: (data: JSONObject) => boolean,
    watcher: ITurnWatcher = NOBODY
  ) {
    this._watcher = watcher;
    this._cells = cells;
    this._send = send;
    this._writers = new Writers(cells, send);
    this._requests = new TurnRequests(cells, send);
    this._outputs = new TurnOutputs(cells);
  }

  /** Handle a message about turns, and ignore others. */
  receive(data: unknown): void {
    const answered = parseTurnCell(data);
    if (answered !== null && this._requests.noteAnswer(answered)) {
      this._cells.refresh(answered);
    }
    const named = parseTurnWriter(data);
    const begins = named !== null && this._writers.noteWriter(named);
    const message = parseTurnMessage(data);
    if (message !== null) {
      this._receiveTurn(message);
      return;
    }
    const delta = parseTurnDelta(data);
    if (delta !== null) {
      this._receiveDelta(delta);
    } else if (named !== null && begins) {
      this._takeOver(named.displayId);
    }
  }

  /** Return the live turn of a cell; null if its output is up to date. */
  currentTurn(cellId: string): TurnJson | null {
    const live = this._turns.get(cellId);
    if (live?.ended && this._outputs.isOver(live)) {
      this._turns.delete(cellId);
      return null;
    }
    return live === undefined || live.lost ? null : live.turn;
  }

  /** Return whether the kernel was asked for the turn of a cell a moment ago. */
  isAsked(cellId: string): boolean {
    return this._requests.isOpen(cellId);
  }

  /** Ask for turns that may be missing, after the comm was opened or the connection came back. */
  ask(): void {
    this._requests.askAnew();
  }

  /**
   * Handle a display's output that the kernel sent to all pages; return the cell if this page wrote
   * it without running it, else null.
   */
  receiveOutput(displayId: string, data: JSONObject): string | null {
    const live = this._find(displayId);
    const turn = turnJson(data[TURN_MIME]);
    if (live === undefined || turn === null || turn.status === 'running') {
      return null;
    }
    if (!this._writers.isOurs(displayId)) {
      this._showEnd(live, turn);
      return null;
    }
    this._cells.replace(live.cellId, data);
    this._finish(live, turn);
    return live.adopted ? live.cellId : null;
  }

  /** Add a cell's live turn to its outputs if it is missing, so that a question can be shown. */
  ensureShown(cellId: string): void {
    const live = this._turns.get(cellId);
    if (live !== undefined && this._writers.isOurs(live.displayId)) {
      this._outputs.ensure(live);
    }
  }

  /** Write the turns that are shown into the outputs. */
  write(): void {
    window.clearTimeout(this._timer);
    this._timer = undefined;
    for (const live of this._turns.values()) {
      const isOurs = this._writers.isOurs(live.displayId);
      if (isOurs && live.written !== live.turn && !live.lost) {
        this._outputs.put(live, false);
        this._watcher.grow();
      }
    }
  }

  /** Write all turns for the last time: the kernel is gone. */
  end(): void {
    this.write();
    for (const live of Array.from(this._turns.values())) {
      this._forget(live);
      void this._watcher.end(live.cellId, live.adopted);
    }
    this._requests.clear();
    this._writers.clear();
  }

  private _receiveTurn(message: ITurnMessage): void {
    const { cellId, displayId, seq, turn, requestId } = message;
    if (!this._cells.has(cellId)) {
      this._requests.addStranger(displayId);
      return;
    }
    const before = this._turns.get(cellId);
    const known = before?.displayId === displayId ? before : undefined;
    if (known !== undefined && holdsChange(known, seq)) {
      return;
    }
    const adopted = known?.adopted ?? !this._executes(cellId, displayId);
    const live = startLive(message, adopted);
    if (message.recovered && this._outputs.hasMore(live)) {
      if (this._writers.isOurs(displayId)) {
        this._confirm(live);
      }
      return;
    }
    this._turns.set(cellId, live);
    if (!this._writers.isOurs(displayId)) {
      this._show(live);
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
    if (known === undefined) {
      this._watcher.begin(cellId, adopted);
    }
    this._showChange(live);
  }

  /** Show a turn that another page writes. */
  private _show(live: ILiveTurn): void {
    if (live.turn.status === 'running') {
      this._showChange(live);
    } else {
      this._showEnd(live, live.turn);
    }
  }

  /** Show the end of a turn until the page that writes it has written it. */
  private _showEnd(live: ILiveTurn, turn: TurnJson): void {
    live.turn = turn;
    live.lost = false;
    live.ended = true;
    this._cells.refresh(live.cellId);
  }

  /** Become the page that writes a turn. */
  private _takeOver(displayId: string): void {
    const live = this._find(displayId);
    if (live === undefined) {
      return;
    }
    this._outputs.put(live, true);
    if (live.ended) {
      this._finish(live, live.turn);
    } else {
      this._cells.setRunning(live.cellId, true);
    }
  }

  private _receiveDelta(delta: ITurnDelta): void {
    const live = this._find(delta.displayId);
    if (live === undefined) {
      this._requests.askForStranger(delta.displayId);
    } else if (holdsChange(live, delta.seq)) {
      return;
    } else if (applyDelta(live, delta)) {
      this._showChange(live);
    } else if (!this._requests.isOpen(live.cellId)) {
      this._requests.ask(live.cellId);
    }
  }

  private _showChange(live: ILiveTurn): void {
    this._cells.refresh(live.cellId);
    this._timer ??= window.setTimeout(() => this.write(), WRITE_INTERVAL);
  }

  /** Forget a turn that has ended and was written. */
  private _finish(live: ILiveTurn, turn: TurnJson): void {
    this._forget(live);
    this._writers.forget(live.displayId);
    this._cells.keepResults(turn);
    this._confirm(live);
  }

  /** Tell the kernel that a turn is safe, once it is. */
  private _confirm({ cellId, displayId, adopted }: ILiveTurn): void {
    const seen = { type: 'turn.seen', display_id: displayId };
    const saved = this._watcher.end(cellId, adopted);
    if (saved === undefined) {
      this._send(seen);
    } else {
      void saved.then(() => this._send(seen));
    }
  }

  private _forget(live: ILiveTurn): void {
    if (this._turns.get(live.cellId) === live) {
      this._turns.delete(live.cellId);
    }
    if (live.adopted) {
      this._cells.setRunning(live.cellId, false);
    }
    this._cells.refresh(live.cellId);
  }

  /** Return whether this page runs the cell, and so gets its outputs from JupyterLab. */
  private _executes(cellId: string, displayId: string): boolean {
    return this._cells.isShared
      ? this._writers.isOurs(displayId) && !this._writers.isTakenOver(displayId)
      : this._cells.isRunning(cellId) && !this._turns.get(cellId)?.adopted;
  }

  private _find(displayId: string): ILiveTurn | undefined {
    return Array.from(this._turns.values()).find(
      live => live.displayId === displayId
    );
  }

  private readonly _cells: ITurnCells;
  private readonly _send: (data: JSONObject) => boolean;
  private readonly _watcher: ITurnWatcher;
  private readonly _writers: Writers;
  private readonly _requests: TurnRequests;
  private readonly _outputs: TurnOutputs;
  private readonly _turns = new Map<string, ILiveTurn>();
  private _timer: number | undefined;
}
