import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import type { Choice, IApprovalQuestion } from '../comm/approvalMessages';
import { indentJson, visible } from '../turn/text';
import { DiffView } from './diffView';
import { button, element, setText } from './dom';
import { type Draft, draftOf, RestingButtons } from './draft';
import { describeBrokenReferences, describeReason } from '../turn/kernelWords';
import { ScrolledBox } from './scrolledBox';
import { formatCount } from '../turn/wording';

/** Test whether a person made an event; a script's own events are not trusted. */
export type IsGenuine = (event: Event) => boolean;

/** Handler of an answer, with the reason of a denial or with other arguments. */
export type OnAnswer = (choice: Choice, words: string) => void;

/**
 * Question to a person whether a call may run: the reason, the change and the buttons.
 *
 * A choice counts once, only if a person made it, and not before the buttons could be seen. The
 * boxes say how many lines are out of sight, and screen readers read that with the buttons.
 */
export class ApprovalView {
  /** @param above - Lines that say how much of the call is out of sight. */
  constructor(
    question: IApprovalQuestion,
    private readonly _trans: TranslationBundle,
    private readonly _answer: OnAnswer,
    isGenuine: IsGenuine = event => event.isTrusted,
    above: readonly HTMLElement[] = []
  ) {
    this._more = [...above];
    this._buttons = new RestingButtons(this._trans);
    this._isGenuine = isGenuine;
    this._draft = draftOf(question);
    this._reason.type = 'text';
    this._reason.placeholder = this._trans.__('Reason for a denial (optional)');
    this._reason.setAttribute('aria-label', this._reason.placeholder);
    this._reason.addEventListener('input', () => {
      this._draft.reason = this._reason.value;
    });
    this._reason.addEventListener('keydown', event => {
      if (event.key === 'Enter' && !event.isComposing) {
        this._choose('no', event);
      }
    });
    this.node = element(
      'div',
      'msgbook-Approval',
      this._words(question),
      ...(question.preview === '' ? [] : [this._diff(question.preview)]),
      this._choices(question),
      this._buttons.said
    );
    this.node.setAttribute('role', 'group');
    this.node.setAttribute(
      'aria-label',
      question.subject === 'message'
        ? this._trans.__('Question about your message')
        : this._trans.__('Approval of the call: %1', visible(question.name))
    );
    this.node.tabIndex = -1;
    this._buttons.start(this.node);
    this._draft.changed.connect(this._showDraft, this);
    this._showDraft();
    // Keys pressed here must not reach the notebook's shortcuts.
    this.node.setAttribute('data-lm-suppress-shortcuts', 'true');
  }

  readonly node: HTMLElement;

  /** Hear no more of what is written in other views of the question. */
  dispose(): void {
    Signal.clearData(this);
  }

  private _words(question: IApprovalQuestion): HTMLElement {
    const asker = question.asker.map(name => visible(name)).join(' › ');
    const isMessage = question.subject === 'message';
    const title = element(
      'strong',
      'msgbook-Approval-title',
      isMessage
        ? this._trans.__('Send anyway?')
        : this._title(question.edited, asker)
    );
    const words = element('div', 'msgbook-Approval-words', title);
    if (isMessage) {
      words.prepend(
        ...describeBrokenReferences(question.reason, this._trans).map(line =>
          element('span', 'msgbook-Approval-reason', line)
        )
      );
    } else if (question.reason !== '') {
      words.append(
        element(
          'span',
          'msgbook-Approval-reason',
          describeReason(question.reason, this._trans)
        )
      );
    }
    words.setAttribute('role', 'alert');
    return this._scrolled(words);
  }

  private _title(edited: boolean, asker: string): string {
    const trans = this._trans;
    if (edited) {
      return asker === ''
        ? trans.__('Approve this call with your arguments?')
        : trans.__(
            'Approve this call of the sub-agent %1 with your arguments?',
            asker
          );
    }
    return asker === ''
      ? trans.__('Approve this call?')
      : trans.__('Approve this call of the sub-agent %1?', asker);
  }

  private _diff(preview: string): HTMLElement {
    const { node, more } = new DiffView(preview, this._trans);
    this._more.push(more);
    return node;
  }

  /** Show what was written, here or in another view of the question. */
  private _showDraft(): void {
    const { reason, arguments: json } = this._draft;
    if (this._reason.value !== reason) {
      this._reason.value = reason;
    }
    this.node.classList.toggle('msgbook-mod-editing', json !== null);
    if (json === null) {
      this._form?.node.remove();
      this._form = null;
    } else if (this._form === null) {
      this._form = this._newForm(json);
      this.node.append(this._form.node);
    } else {
      this._form.show(json);
    }
  }

  /** Return a form for other arguments, which stands in place of the buttons. */
  private _newForm(json: string): ArgumentsForm {
    return new ArgumentsForm(
      json,
      this._draft.problem,
      this._trans,
      text => (this._draft.arguments = text),
      (text, event) => this._choose('edit', event, text),
      () => {
        this._draft.arguments = null;
        this.node.focus({ preventScroll: true });
      }
    );
  }

  private _edit(json: string): void {
    this._draft.begin(indentJson(json));
    this._form?.focus();
  }

  private _scrolled(box: HTMLElement): HTMLElement {
    const { node, more } = new ScrolledBox(box, this._trans);
    this._more.push(more);
    return node;
  }

  private _choices({
    subject,
    choices,
    arguments: json
  }: IApprovalQuestion): HTMLElement {
    const trans = this._trans;
    if (subject === 'message') {
      return element(
        'div',
        'msgbook-Approval-choices',
        this._button('no', trans.__('Do Not Send'), 'msgbook-mod-approve'),
        this._button('once', trans.__('Send Anyway'), 'msgbook-mod-deny')
      );
    }
    const row = element(
      'div',
      'msgbook-Approval-choices',
      this._button('once', trans.__('Approve'), 'msgbook-mod-approve'),
      this._button('no', trans.__('Deny'), 'msgbook-mod-deny'),
      this._reason
    );
    const wider = element('div', 'msgbook-Approval-wider');
    if (choices.includes('session')) {
      const label = trans.__('Approve this tool for this session');
      wider.append(this._button('session', label, 'msgbook-mod-quiet'));
    }
    if (choices.includes('rule')) {
      const label = trans.__('Always approve this call');
      wider.append(this._button('rule', label, 'msgbook-mod-quiet'));
    }
    if (choices.includes('edit')) {
      const label = trans.__('Change the arguments');
      const edit = () => this._edit(json);
      wider.append(this._button('edit', label, 'msgbook-mod-quiet', edit));
    }
    return element(
      'div',
      'msgbook-Approval-answer',
      row,
      ...(wider.childElementCount > 0 ? [wider] : [])
    );
  }

  private _button(
    choice: Choice,
    label: string,
    kind: string,
    act = (event: Event) => this._choose(choice, event)
  ): HTMLElement {
    const node = button(`msgbook-Approval-button ${kind}`, label, act);
    node.setAttribute(
      'aria-describedby',
      this._more.map(({ id }) => id).join(' ')
    );
    this._buttons.add(node);
    return node;
  }

  private _choose(
    choice: Choice,
    event: Event,
    words = choice === 'no' ? this._reason.value.trim() : ''
  ): void {
    event.preventDefault();
    event.stopPropagation();
    if (!this._answered && !this._buttons.isDeaf && this._isGenuine(event)) {
      this._answered = true;
      this._answer(choice, words);
    }
  }

  private readonly _more: HTMLElement[];
  private readonly _isGenuine: IsGenuine;
  private readonly _draft: Draft;
  private readonly _reason = element('input', 'msgbook-Approval-why');
  private readonly _buttons: RestingButtons;
  private _form: ArgumentsForm | null = null;
  private _answered = false;
}

/** Characters of arguments that the kernel takes (docs/protocol.md). */
export const ARGUMENTS_LIMIT = 1_000_000;

/** Form in which a person writes other arguments for a call. */
export class ArgumentsForm {
  /**
   * @param json - The arguments to begin with.
   * @param problem - Why they do not fit; empty if they do.
   * @param change - Gets the arguments with each change of the person.
   * @param send - Asks again with the arguments.
   * @param cancel - Goes back to the question.
   */
  constructor(
    json: string,
    problem: string,
    trans: TranslationBundle,
    change: (json: string) => void,
    send: (json: string, event: Event) => void,
    cancel: () => void
  ) {
    const sendIfShort = (event: Event) => {
      if (this._isShort(trans)) {
        send(this._text.value, event);
      }
    };
    this._text.value = json;
    this._text.rows = Math.min(20, this._text.value.split('\n').length + 1);
    this._text.spellcheck = false;
    this._text.setAttribute('aria-label', trans.__('Arguments of the call'));
    this._text.addEventListener('input', () => change(this._text.value));
    this._text.addEventListener('keydown', event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        sendIfShort(event);
      } else if (event.key === 'Escape') {
        cancel();
      }
    });
    const ask = button(
      'msgbook-Approval-button msgbook-mod-approve',
      trans.__('Ask again with these'),
      sendIfShort
    );
    const back = button('msgbook-Approval-button', trans.__('Cancel'), cancel);
    const words = trans.__(
      'The call is shown to you once more with your arguments before it runs, unless they need no approval: then it runs at once.'
    );
    this._problem.setAttribute('role', 'alert');
    this._say(problem);
    this.node = element(
      'div',
      'msgbook-Approval-form',
      this._problem,
      this._text,
      element('div', 'msgbook-Approval-hint', words),
      element('div', 'msgbook-Approval-choices', ask, back)
    );
  }

  readonly node: HTMLElement;

  /** Show arguments that were written elsewhere. */
  show(json: string): void {
    if (this._text.value !== json) {
      this._text.value = json;
    }
  }

  focus(): void {
    this._text.focus({ preventScroll: true });
  }

  /** Return whether the kernel takes as many characters; say so if not. */
  private _isShort(trans: TranslationBundle): boolean {
    const { length } = this._text.value;
    if (length > ARGUMENTS_LIMIT) {
      const counts = [length, ARGUMENTS_LIMIT].map(formatCount);
      this._say(
        trans.__(
          'These arguments have %1 characters, of at most %2.',
          ...counts
        )
      );
    }
    return length <= ARGUMENTS_LIMIT;
  }

  private _say(problem: string): void {
    setText(this._problem, visible(problem));
    this._problem.hidden = problem === '';
  }

  private readonly _problem = element('div', 'msgbook-Approval-problem');
  private readonly _text = element('textarea', 'msgbook-Approval-arguments');
}
