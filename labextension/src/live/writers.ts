import type { JSONObject } from '@lumino/coreutils';

import type { ITurnWriter } from '../comm/turnMessages';

/** The facts about a page that decide whether it writes. */
export interface IWritingPage {
  /** Whether other pages may show, and change, the same document. */
  readonly isShared: boolean;
  /** This page's client session at the kernel; null without a kernel. */
  readonly client: string | null;
  /** Return whether the notebook has that cell. */
  has(cellId: string): boolean;
}

/**
 * Choice of the page that writes a turn into a document.
 *
 * A page writes every turn into a document of its own. For a document that several pages share, the
 * kernel names the writer. A turn without one is offered to all pages and goes to the first that
 * accepts.
 */
export class Writers {
  constructor(
    private readonly _page: IWritingPage,
    /** Sends a message to the kernel; returns false if it cannot be reached. */
    private readonly _send: (data: JSONObject) => boolean
  ) {}

  /**
   * Note the writer of a turn, and answer the kernel if this page writes it or can.
   *
   * Returns whether this page takes over from here on.
   */
  noteWriter({ cellId, displayId, writer, asks }: ITurnWriter): boolean {
    const { client, isShared } = this._page;
    const before = this.isTakenOver(displayId);
    this._writers.set(displayId, writer);
    const mayBe = writer === null && isShared && this._page.has(cellId);
    if (asks && mayBe) {
      this._offered.add(displayId);
    }
    if (asks && (mayBe || (writer !== null && writer === client))) {
      this._send({ type: 'turn.writing', display_id: displayId });
    }
    return !before && this.isTakenOver(displayId);
  }

  /** Return whether this page writes that turn. */
  isOurs(displayId: string): boolean {
    const { client, isShared } = this._page;
    const name = this._writers.get(displayId) ?? null;
    return !isShared || (name !== null && name === client);
  }

  /** Return whether this page writes that turn instead of the page that ran the cell. */
  isTakenOver(displayId: string): boolean {
    return this._offered.has(displayId) && this.isOurs(displayId);
  }

  forget(displayId: string): void {
    this._writers.delete(displayId);
    this._offered.delete(displayId);
  }

  /** Forget all writers: the kernel is gone. */
  clear(): void {
    this._writers.clear();
    this._offered.clear();
  }

  /** The client sessions of the pages that write, by display. */
  private readonly _writers = new Map<string, string | null>();
  /** Displays of turns that this page has accepted to write. */
  private readonly _offered = new Set<string>();
}
