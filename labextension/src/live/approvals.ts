import type { JSONObject } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';
import {
  approvalAnswer,
  type Choice,
  type IApprovalQuestion,
  parseQuestion
} from '../comm/approvalMessages';
import type { Handlers, IMessage } from '../comm/handlers';
import { asText } from '../turn/reading';
import { draftOf, restQuestions } from '../render/draft';
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { copyText } from '../render/dom';

/** What a person wanted of a question and the kernel did not get. */
export interface IMissedAnswer {
  /** Whether it was an answer; false if the question was closed while the person wrote. */
  readonly isAnswer: boolean;
  /** Reason or arguments; empty if nothing was written. */
  readonly words: string;
}

/** The part of a notebook that questions need. */
export interface IApprovalCells {
  /** Return whether the notebook has that cell. */
  has(cellId: string): boolean;
  /** Draw the turn of that cell again. */
  refresh(cellId: string): void;
}

/**
 * The kernel's open questions to the reader of one notebook.
 *
 * Only a message of the kernel opens one; nothing in a file can. Each is answered once.
 */
export class Approvals {
  /** @param asked - Called with the cell of each question that the kernel asks. */
  constructor(
    private readonly _cells: IApprovalCells,
    /** Sends a message to the kernel; returns false if it cannot be reached. */
    private readonly _send: (data: JSONObject) => boolean,
    asked: (cellId: string) => void = () => undefined
  ) {
    this._asked = asked;
  }

  /** Emitted when a question was opened or closed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when an answer came too late, or a question is closed while a person writes one. */
  get unheard(): ISignal<this, IMissedAnswer> {
    return this._unheard;
  }

  /** Handlers of the kernel's messages about approvals. */
  readonly handlers: Handlers = new Map([
    ['approval.ask', message => this._onAsk(message)],
    ['approval.closed', message => this._onClosed(message)],
    ['approval.late', message => this._onLate(message)]
  ]);

  private _onClosed({ request_id }: IMessage): void {
    const closed = asText(request_id) ?? '';
    const question = this._open.get(closed);
    const words = question === undefined ? '' : draftOf(question).written;
    this._close(closed);
    if (words !== '') {
      this._unheard.emit({ isAnswer: false, words });
    }
  }

  private _onLate({ request_id }: IMessage): void {
    const late = asText(request_id) ?? '';
    const words = this._sent.get(late);
    if (words !== undefined) {
      this._sent.delete(late);
      this._unheard.emit({ isAnswer: true, words });
    }
  }

  private _onAsk(message: IMessage): void {
    const question = parseQuestion(message);
    if (question === null || !this._cells.has(question.cellId)) {
      return;
    }
    const isNew = !this._open.has(question.requestId);
    if (isNew) {
      this._open.set(question.requestId, question);
    }
    this._cells.refresh(question.cellId);
    if (isNew) {
      this._emit();
    }
    this._asked(question.cellId);
  }

  /** Return the open questions of a cell's turn, oldest first. */
  questionsOf(cellId: string): readonly IApprovalQuestion[] {
    return this.all.filter(question => question.cellId === cellId);
  }

  /** All open questions, oldest first. */
  get all(): readonly IApprovalQuestion[] {
    return Array.from(this._open.values());
  }

  /** Answer a question, unless it was answered or closed before. */
  answer(question: IApprovalQuestion, choice: Choice, words = ''): void {
    if (
      this._open.get(question.requestId) === question &&
      this._send(approvalAnswer(question, choice, words))
    ) {
      this._sent.set(question.requestId, words);
      this._close(question.requestId);
    }
  }

  /** Close all questions: the kernel that asked is gone. */
  clear(): void {
    this._sent.clear();
    for (const { requestId } of this.all) {
      this._close(requestId);
    }
  }

  private _close(requestId: string): void {
    const question = this._open.get(requestId);
    if (question !== undefined) {
      this._open.delete(requestId);
      this._cells.refresh(question.cellId);
      this._emit();
    }
  }

  private _emit(): void {
    restQuestions();
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private readonly _unheard = new Signal<this, IMissedAnswer>(this);
  private readonly _asked: (cellId: string) => void;
  private readonly _open = new Map<string, IApprovalQuestion>();
  /** Words of the answers, any of which can be too late, by the ids of their questions. */
  private readonly _sent = new Map<string, string>();
}

/** Tell a person that what they wanted of a question did not count, and offer what they wrote. */
export function tellUnheard(
  { isAnswer, words }: IMissedAnswer,
  trans: TranslationBundle
): void {
  const told = isAnswer
    ? trans.__(
        'Your answer did not count: the call had been decided on another page, or its turn had ended.'
      )
    : trans.__(
        'The call was decided on another page, or its turn ended. What you were writing was not sent.'
      );
  const copy = {
    label: trans.__('Copy what you wrote'),
    callback: () => copyText(words)
  };
  Notification.warning(told, {
    autoClose: false,
    actions: words === '' ? [] : [copy]
  });
}
