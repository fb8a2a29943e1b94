import { UUID, type JSONObject } from '@lumino/coreutils';

import type { ITurnPage } from './turnPage';

/** How long to wait for an answer to `turn.get` before asking again, in milliseconds. */
const PATIENCE = 2000;

/** The cells whose turn the kernel was asked for, and has not told. */
export class TurnRequests {
  /** @param send - Sends a message to the kernel; false when it cannot be reached. */
  constructor(page: ITurnPage, send: (data: JSONObject) => boolean) {
    this._page = page;
    this._send = send;
  }

  /**
   * Whether the kernel was asked for the turn of a cell a moment ago and has not answered yet. Of a
   * kernel that has just started, the answer can be lost.
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

  /** Ask for what may be missing here; what was asked before is forgotten. */
  askAnew(): void {
    this.clear();
    for (const cellId of this._page.prompts()) {
      const turn = this._page.turn(cellId);
      if (turn === null || turn.status === 'running') {
        this.ask(cellId);
      }
    }
  }

  /** Ask once whose turn it is: its cell may hold the turn of an earlier run. */
  askForStranger(displayId: string): void {
    if (!this._strangers.has(displayId)) {
      this._strangers.add(displayId);
      this._page.prompts().forEach(cellId => this.ask(cellId));
    }
  }

  /** Note that a turn is not in this notebook, so that nobody is asked for it. */
  addStranger(displayId: string): void {
    this._strangers.add(displayId);
  }

  /** Note that the kernel told of a cell; whether it was asked for it. */
  close(cellId: string): boolean {
    return this._asked.delete(cellId);
  }

  /** Forget all: what is still open will not be answered. */
  clear(): void {
    this._asked.clear();
    this._strangers.clear();
  }

  private readonly _page: ITurnPage;
  private readonly _send: (data: JSONObject) => boolean;
  /** When the kernel was asked, in milliseconds since the epoch. */
  private readonly _asked = new Map<string, number>();
  /** Displays of turns that are not in this notebook, or may not be. */
  private readonly _strangers = new Set<string>();
}
