import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from '../turn/text';
import { formatCount } from '../turn/wording';
import { element, setText } from './dom';

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
    const ask = button(trans.__('Ask again with these'), 'msgbook-mod-approve');
    ask.addEventListener('click', sendIfShort);
    const back = button(trans.__('Cancel'), '');
    back.addEventListener('click', cancel);
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

function button(label: string, kind: string): HTMLButtonElement {
  const node = element('button', `msgbook-Approval-button ${kind}`, label);
  node.type = 'button';
  return node;
}
