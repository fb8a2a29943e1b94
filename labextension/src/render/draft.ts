import { type ISignal, Signal } from '@lumino/signaling';
import type { IApprovalQuestion } from '../comm/approvalMessages';
import { indentJson } from '../turn/text';
import type { TranslationBundle } from '@jupyterlab/translation';
import { element, setText } from './dom';

/** What a person writes about a question before answering it. All views of the question share it. */
export class Draft {
  /** @param json - Other arguments to begin with; null for none. */
  constructor(
    json: string | null,
    /** Why these do not fit the tool; empty if they do. */
    private _problem: string
  ) {
    this._begun = this._arguments = json;
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

/**
 * Time for which buttons that are new or have moved are disabled, in milliseconds: clicks then were
 * meant for something else.
 */
export const DEAF = 400;

const all = new WeakMap<Element, RestingButtons>();

/**
 * Disable the buttons of all questions for a moment.
 *
 * Call it when a question opens or closes: others move, and the second click of a double click would
 * answer the one that came to its place.
 */
export function restQuestions(): void {
  document
    .querySelectorAll('.msgbook-Approval')
    .forEach(node => all.get(node)?.rest());
}

/** The buttons of one question, which are disabled for a moment when it is new or may have moved. */
export class RestingButtons {
  constructor(private readonly _trans: TranslationBundle) {
    this.said.setAttribute('role', 'status');
    setText(
      this.said,
      this._trans.__('The buttons cannot be used for a moment.')
    );
  }

  /** Says whether the buttons can be used. */
  readonly said = element('div', 'msgbook-Approval-said');

  get isDeaf(): boolean {
    return this._node.classList.contains('msgbook-mod-deaf');
  }

  add(button: HTMLButtonElement): void {
    this._buttons.push(button);
  }

  /** Begin, with the node of the question. */
  start(node: HTMLElement): void {
    this._node = node;
    all.set(node, this);
    this.rest();
  }

  /** Disable the buttons for a moment; the focus then goes back to the one that lost it. */
  rest(): void {
    const focused = this._buttons.find(
      button => button === document.activeElement
    );
    this._focused = focused ?? this._focused;
    this._setDeaf(true);
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._wake(), DEAF);
  }

  private _wake(): void {
    this._setDeaf(false);
    setText(this.said, this._trans.__('The buttons can be used now.'));
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) {
      this._focused?.focus({ preventScroll: true });
    }
    this._focused = undefined;
  }

  private _setDeaf(deaf: boolean): void {
    this._buttons.forEach(button => (button.disabled = deaf));
    this._node.classList.toggle('msgbook-mod-deaf', deaf);
  }

  private readonly _buttons: HTMLButtonElement[] = [];
  private _node: HTMLElement = element('div', '');
  private _timer = 0;
  /** The button that had the focus when it was disabled. */
  private _focused: HTMLButtonElement | undefined;
}
