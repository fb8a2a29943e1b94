import { type JSONObject, UUID } from '@lumino/coreutils';
import type { ITurnCells } from './turnBundle';

/** Time before `turn.get` is sent again, in milliseconds. */
const PATIENCE = 2000;

/** The page's open requests to the kernel for the turns of cells. */
export class TurnRequests {
  /** @param send - Sends a message to the kernel; returns false if it cannot be reached. */
  constructor(cells: ITurnCells, send: (data: JSONObject) => boolean) {
    this._cells = cells;
    this._send = send;
  }

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
  askForStranger(displayId: string): void {
    if (!this._strangers.has(displayId)) {
      this._strangers.add(displayId);
      this._cells.prompts().forEach(cellId => this.ask(cellId));
    }
  }

  /** Note that a turn is not in this notebook, so that it is not asked for. */
  addStranger(displayId: string): void {
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

  private readonly _cells: ITurnCells;
  private readonly _send: (data: JSONObject) => boolean;
  /** Times of the requests, in milliseconds since the epoch, by cell. */
  private readonly _asked = new Map<string, number>();
  /** Displays of turns that are not, or may not be, in this notebook. */
  private readonly _strangers = new Set<string>();
}
