import { type JSONObject, UUID } from '@lumino/coreutils';
import type { Handlers, IMessage } from '../comm/handlers';
import {
  type ITurnDelta,
  type ITurnMessage,
  parseTurnDelta,
  parseTurnMessage,
  parseTurnWriter
} from '../comm/turnMessages';
import { applyOps, turnJson, type TurnJson } from '../turn/delta';
import { TURN_MIME } from '../turn/model';
import { asText } from '../turn/reading';
import {
  type ILiveTurn,
  type ITurnCells,
  TurnOutputs,
  Writers
} from './turnOutputs';

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
  constructor(
    private readonly _cells: ITurnCells,
    /** Sends a message to the kernel; returns false if it cannot be reached. */
    private readonly _send: (data: JSONObject) => boolean,
    watcher: ITurnWatcher = NOBODY
  ) {
    this._watcher = watcher;
    this._writers = new Writers(this._cells, this._send);
    this._requests = new TurnRequests(this._cells, this._send);
    this._outputs = new TurnOutputs(this._cells);
  }

  /** Handlers of the kernel's messages about turns. */
  readonly handlers: Handlers = new Map([
    ['turn', message => this._onTurn(message)],
    ['turn.writer', message => this._onWriter(message)],
    ['turn.delta', message => this._onDelta(message)]
  ]);

  private _onTurn(message: IMessage): void {
    // It answers even without a turn.
    const answered = asText(message.cell_id);
    if (answered !== undefined && this._requests.noteAnswer(answered)) {
      this._cells.refresh(answered);
    }
    const named = parseTurnWriter(message);
    const begins = named !== null && this._writers.noteWriter(named);
    const turn = parseTurnMessage(message);
    if (turn !== null) {
      this._receiveTurn(turn);
    } else if (begins) {
      this._takeOver(named.displayId);
    }
  }

  private _onWriter(message: IMessage): void {
    const named = parseTurnWriter(message);
    if (named !== null && this._writers.noteWriter(named)) {
      this._takeOver(named.displayId);
    }
  }

  private _onDelta(message: IMessage): void {
    const delta = parseTurnDelta(message);
    if (delta !== null) {
      this._receiveDelta(delta);
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
      this._requests.ignoreTurn(displayId);
      return;
    }
    const before = this._turns.get(cellId);
    const known = before?.displayId === displayId ? before : undefined;
    if (known !== undefined && holdsChange(known, seq)) {
      return;
    }
    const adopted = known?.adopted ?? !this._executes(cellId, displayId);
    const live: ILiveTurn = {
      cellId,
      displayId,
      seq,
      turn,
      adopted,
      lost: false,
      // Nothing of it is in the outputs yet.
      written: null,
      ended: false
    };
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
      this._requests.requestUnknownTurn(delta.displayId);
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

  private readonly _watcher: ITurnWatcher;
  private readonly _writers: Writers;
  private readonly _requests: TurnRequests;
  private readonly _outputs: TurnOutputs;
  private readonly _turns = new Map<string, ILiveTurn>();
  private _timer: number | undefined;
}

/** Return whether a live turn holds the change with this number already. */
function holdsChange(live: ILiveTurn, seq: number): boolean {
  return !live.lost && seq <= live.seq;
}

/** Apply a change in place; return false and mark the turn as lost if one before it is missing. */
function applyDelta(live: ILiveTurn, delta: ITurnDelta): boolean {
  const isNext = !live.lost && delta.seq === live.seq + 1;
  const turn = isNext ? applyOps(live.turn, delta.ops) : null;
  if (turn === null) {
    live.lost = true;
    return false;
  }
  live.turn = turn;
  live.seq = delta.seq;
  return true;
}

/** Time before `turn.get` is sent again, in milliseconds. */
const PATIENCE = 2000;

/** The page's open requests to the kernel for the turns of cells. */
class TurnRequests {
  constructor(
    private readonly _cells: ITurnCells,
    /** Sends a message to the kernel; returns false if it cannot be reached. */
    private readonly _send: (data: JSONObject) => boolean
  ) {}

  /**
   * Return whether the kernel was asked for the turn of a cell a moment ago.
   *
   * A kernel that has just started can lose the answer, so a request is open for a short time only.
   */
  isOpen(cellId: string): boolean {
    return Date.now() - (this._asked.get(cellId) ?? 0) < PATIENCE;
  }

  /** Ask for the turn of a cell. */
  ask(cellId: string): void {
    const request_id = UUID.uuid4();
    if (this._send({ type: 'turn.get', request_id, cell_id: cellId })) {
      this._asked.set(cellId, Date.now());
    }
  }

  /** Forget all requests and ask for every turn that may be missing. */
  askAnew(): void {
    this.clear();
    for (const cellId of this._cells.prompts()) {
      const turn = this._cells.turn(cellId);
      if (turn === null || turn.status === 'running') {
        this.ask(cellId);
      }
    }
  }

  /** Ask once for the cell of an unknown turn: its output may show the turn of an earlier run. */
  requestUnknownTurn(displayId: string): void {
    if (!this._strangers.has(displayId)) {
      this._strangers.add(displayId);
      this._cells.prompts().forEach(cellId => this.ask(cellId));
    }
  }

  /** Note that a turn is not in this notebook, so that it is not asked for. */
  ignoreTurn(displayId: string): void {
    this._strangers.add(displayId);
  }

  /** Note the kernel's answer for a cell; return whether a request was open. */
  noteAnswer(cellId: string): boolean {
    return this._asked.delete(cellId);
  }

  /** Forget all requests, which will not be answered. */
  clear(): void {
    this._asked.clear();
    this._strangers.clear();
  }

  /** Times of the requests, in milliseconds since the epoch, by cell. */
  private readonly _asked = new Map<string, number>();
  /** Displays of turns that are not, or may not be, in this notebook. */
  private readonly _strangers = new Set<string>();
}
