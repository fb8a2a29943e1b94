import type { JSONObject } from '@lumino/coreutils';

import type { ITurnWriter } from '../comm/turns';

/** What has to be known of a page to tell whether it writes. */
export interface IWritingPage {
  /** Whether other pages may show, and change, the same document. */
  readonly isShared: boolean;
  /** The client session of this page at the kernel; null without a kernel. */
  readonly client: string | null;
  /** Whether the notebook has that cell. */
  has(cellId: string): boolean;
}

/**
 * Which turns this page writes into its document.
 *
 * In a document of its own that is each one. Of one that several pages share, the kernel names the
 * page that writes; a turn that has none is offered to all, and goes to the first that takes it.
 */
export class Writers {
  /** @param send - Sends a message to the kernel; false when it cannot be reached. */
  constructor(page: IWritingPage, send: (data: JSONObject) => boolean) {
    this._page = page;
    this._send = send;
  }

  /**
   * Take in who writes a turn, and answer, where that is asked, if it is this page or may be.
   *
   * Returns: whether this page takes over from here on.
   */
  name({ cellId, displayId, writer, asks }: ITurnWriter): boolean {
    const { client, isShared } = this._page;
    const before = this.isTakenOver(displayId);
    this._names.set(displayId, writer);
    const mayBe = writer === null && isShared && this._page.has(cellId);
    if (asks && mayBe) {
      this._offered.add(displayId);
    }
    if (asks && (mayBe || (writer !== null && writer === client))) {
      this._send({ type: 'turn.writing', display_id: displayId });
    }
    return !before && this.isTakenOver(displayId);
  }

  /** Whether this page writes that turn. */
  isOurs(displayId: string): boolean {
    const { client, isShared } = this._page;
    const name = this._names.get(displayId) ?? null;
    return !isShared || (name !== null && name === client);
  }

  /** Whether this page writes that turn in place of another one, which ran the cell. */
  isTakenOver(displayId: string): boolean {
    return this._offered.has(displayId) && this.isOurs(displayId);
  }

  forget(displayId: string): void {
    this._names.delete(displayId);
    this._offered.delete(displayId);
  }

  /** Forget all: the kernel is gone. */
  clear(): void {
    this._names.clear();
    this._offered.clear();
  }

  private readonly _page: IWritingPage;
  private readonly _send: (data: JSONObject) => boolean;
  /** The client sessions of the pages that write, by display. */
  private readonly _names = new Map<string, string | null>();
  /** Displays of turns that this page has offered to write. */
  private readonly _offered = new Set<string>();
}
