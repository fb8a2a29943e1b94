import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from '../turn/text';
import { element } from './dom';

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
    this._text.value = json;
    this._text.rows = Math.min(20, this._text.value.split('\n').length + 1);
    this._text.spellcheck = false;
    this._text.setAttribute('aria-label', trans.__('Arguments of the call'));
    this._text.addEventListener('input', () => change(this._text.value));
    this._text.addEventListener('keydown', event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        send(this._text.value, event);
      } else if (event.key === 'Escape') {
        cancel();
      }
    });
    const ask = button(trans.__('Ask again with these'), 'msgbook-mod-approve');
    ask.addEventListener('click', event => send(this._text.value, event));
    const back = button(trans.__('Cancel'), '');
    back.addEventListener('click', cancel);
    const words = trans.__(
      'The call is shown to you once more with your arguments before it runs, unless they need no approval: then it runs at once.'
    );
    this.node = element(
      'div',
      'msgbook-Approval-form',
      ...(problem === '' ? [] : [this._problem(problem)]),
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

  private _problem(words: string): HTMLElement {
    const node = element('div', 'msgbook-Approval-problem', visible(words));
    node.setAttribute('role', 'alert');
    return node;
  }

  private readonly _text = element('textarea', 'msgbook-Approval-arguments');
}

function button(label: string, kind: string): HTMLButtonElement {
  const node = element('button', `msgbook-Approval-button ${kind}`, label);
  node.type = 'button';
  return node;
}
