import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setText } from './dom';

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
  constructor(trans: TranslationBundle) {
    this._trans = trans;
    this.said.setAttribute('role', 'status');
    setText(this.said, trans.__('The buttons cannot be used for a moment.'));
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

  private readonly _trans: TranslationBundle;
  private readonly _buttons: HTMLButtonElement[] = [];
  private _node: HTMLElement = element('div', '');
  private _timer = 0;
  /** The button that had the focus when it was disabled. */
  private _focused: HTMLButtonElement | undefined;
}
