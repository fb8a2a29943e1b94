import { Signal, type ISignal } from '@lumino/signaling';

import type { IApprovalQuestion } from '../comm/approvalMessages';
import { indentJson } from '../turn/text';

/** What a person writes about a question before answering it. All views of the question share it. */
export class Draft {
  /**
   * @param json - Other arguments to begin with; null for none.
   * @param problem - Why these do not fit the tool; empty if they do.
   */
  constructor(json: string | null, problem: string) {
    this._begun = this._arguments = json;
    this._problem = problem;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Reason of a denial. */
  get reason(): string {
    return this._reason;
  }

  set reason(reason: string) {
    this._reason = reason;
    this._changed.emit();
  }

  /** Other arguments for the call; null while nobody writes any. */
  get arguments(): string | null {
    return this._arguments;
  }

  set arguments(json: string | null) {
    this._arguments = json;
    if (json === null) {
      this._problem = '';
    }
    this._changed.emit();
  }

  /** Why the arguments that were sent last do not fit the tool; empty if they do. */
  get problem(): string {
    return this._problem;
  }

  /** What was written and would be lost with the question: the arguments, else the reason. */
  get written(): string {
    const json = this._arguments;
    return json === null || json === this._begun ? this._reason.trim() : json;
  }

  /** Begin with arguments that a person has not changed yet. */
  begin(json: string): void {
    this._begun = json;
    this.arguments = json;
  }

  private readonly _changed = new Signal<this, void>(this);
  private _reason = '';
  private _arguments: string | null;
  private _begun: string | null;
  private _problem: string;
}

const drafts = new WeakMap<IApprovalQuestion, Draft>();

/** Return the draft of a question, always the same one. */
export function draftOf(question: IApprovalQuestion): Draft {
  let draft = drafts.get(question);
  if (draft === undefined) {
    const json = question.draft === '' ? null : indentJson(question.draft);
    draft = new Draft(json, question.problem);
    drafts.set(question, draft);
  }
  return draft;
}
