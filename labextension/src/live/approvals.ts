import type { JSONObject } from '@lumino/coreutils';

import {
  approvalAnswer,
  parseClosed,
  parseQuestion,
  type Choice,
  type IApprovalQuestion
} from '../comm/approval';

/** What the questions of a notebook need of it. */
export interface IApprovalPage {
  /** Whether the notebook has that cell. */
  has(cellId: string): boolean;
  /** Draw the turn of that cell anew. */
  refresh(cellId: string): void;
}

/**
 * The kernel's open questions to the reader of one notebook.
 *
 * Only a message of the kernel opens one; nothing in a file can. An answer is given once.
 */
export class Approvals {
  /** @param send - Sends a message to the kernel; false when it cannot be reached. */
  constructor(page: IApprovalPage, send: (data: JSONObject) => boolean) {
    this._page = page;
    this._send = send;
  }

  /**
   * Take in a message; others than those of approvals are ignored.
   *
   * Returns: the question that it opens, if any.
   */
  receive(data: unknown): IApprovalQuestion | null {
    const closed = parseClosed(data);
    if (closed !== null) {
      this._close(closed);
      return null;
    }
    const question = parseQuestion(data);
    if (question === null || !this._page.has(question.cellId)) {
      return null;
    }
    if (!this._open.has(question.requestId)) {
      this._open.set(question.requestId, question);
    }
    this._page.refresh(question.cellId);
    return question;
  }

  /** The open questions of a cell's turn, in the order they were asked. */
  of(cellId: string): readonly IApprovalQuestion[] {
    return this.all.filter(question => question.cellId === cellId);
  }

  /** All open questions, in the order they were asked. */
  get all(): readonly IApprovalQuestion[] {
    return Array.from(this._open.values());
  }

  /** Answer an open question; one that was answered or closed is left alone. */
  answer(question: IApprovalQuestion, choice: Choice, reason = ''): void {
    if (
      this._open.get(question.requestId) === question &&
      this._send(approvalAnswer(question, choice, reason))
    ) {
      this._close(question.requestId);
    }
  }

  /** Close all questions: the kernel that asked is gone. */
  clear(): void {
    for (const { requestId } of this.all) {
      this._close(requestId);
    }
  }

  private _close(requestId: string): void {
    const question = this._open.get(requestId);
    if (question !== undefined) {
      this._open.delete(requestId);
      this._page.refresh(question.cellId);
    }
  }

  private readonly _page: IApprovalPage;
  private readonly _send: (data: JSONObject) => boolean;
  private readonly _open = new Map<string, IApprovalQuestion>();
}
