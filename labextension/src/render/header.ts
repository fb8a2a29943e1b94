import type { TranslationBundle } from '@jupyterlab/translation';

import type { IBlock, ITurn } from '../turn/model';
import { controlsVisible } from '../turn/text';
import {
  ending,
  history,
  particulars,
  seconds,
  tokens,
  wholeSeconds,
  type ShownStatus
} from '../turn/words';
import { element, setText } from './dom';

/** So many characters of a name are never cut. */
const SHORT = 30;

/** The line above a turn: who answers, how long it takes or took, how it ended. */
export class Header {
  constructor(trans: TranslationBundle) {
    this._trans = trans;
    this.node = element(
      'div',
      'msgbook-Header',
      this._dot,
      this._agent,
      this._model,
      this._time,
      this._detail,
      this._ending
    );
    this._dot.setAttribute('aria-hidden', 'true');
  }

  readonly node: HTMLElement;

  /**
   * Show the turn.
   *
   * @param asked - Whether a question of it is open.
   * @param now - Milliseconds since the epoch.
   */
  show(turn: ITurn, status: ShownStatus, asked: boolean, now: number): void {
    this.node.dataset.status = status;
    const agent = turn.agent === 'assistant' ? '' : (turn.agent ?? '');
    setShort(this._agent, controlsVisible(agent));
    setShort(this._model, controlsVisible(turn.model ?? ''));
    setText(this._time, time(turn, status === 'running', now));
    setText(this._detail, this._details(turn, status === 'running', asked));
    setShort(
      this._ending,
      controlsVisible(ending(status, turn.finishReason, this._trans))
    );
    this.node.title = controlsVisible(particulars(turn, this._trans));
  }

  private _details(turn: ITurn, running: boolean, asked: boolean): string {
    if (!running) {
      return tokens(turn, this._trans);
    }
    if (asked) {
      return this._trans.__('waiting for you');
    }
    if (!turn.blocks.every(isBeforeAnswer)) {
      return '';
    }
    const waiting = this._trans.__('waiting for the answer');
    const context = history(turn.context, this._trans);
    return context === '' ? waiting : `${waiting} · ${context}`;
  }

  private readonly _trans: TranslationBundle;
  private readonly _dot = element('span', 'msgbook-Header-dot');
  private readonly _agent = element('span', 'msgbook-Header-agent');
  private readonly _model = element('span', 'msgbook-Header-model');
  private readonly _time = element('span', 'msgbook-Header-time');
  private readonly _detail = element('span', 'msgbook-Header-detail');
  private readonly _ending = element('span', 'msgbook-Header-ending');
}

/** Whether a block is there before the model is asked: a notice, or what the prompt itself calls. */
function isBeforeAnswer({ type, step }: IBlock): boolean {
  return type === 'notice' || step === 0;
}

/** Text of one line; the style sheet cuts what is too long, which the pointer then shows. */
function setShort(node: HTMLElement, text: string): void {
  setText(node, text);
  if (text.length > SHORT) {
    node.title = text;
  } else {
    node.removeAttribute('title');
  }
}

function time(turn: ITurn, running: boolean, now: number): string {
  if (running) {
    return turn.started === undefined
      ? ''
      : wholeSeconds((now - turn.started) / 1000);
  }
  return turn.duration === undefined ? '' : seconds(turn.duration);
}
