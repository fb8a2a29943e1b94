import type { TranslationBundle } from '@jupyterlab/translation';

import type { IBlock, ITurn } from '../turn/model';
import { controlsVisible } from '../turn/text';
import {
  describeEnding,
  describeHistory,
  describeDetails,
  describeModel,
  formatDuration,
  describeTokens,
  formatWholeSeconds,
  type ShownStatus
} from '../turn/wording';
import { element, setText } from './dom';

/** Length of a name that is never cut, in characters. */
const SHORT = 30;

/** The line above a turn: agent, model, time, tokens and how it ended. */
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
    setShort(this._model, controlsVisible(describeModel(turn, this._trans)));
    setText(this._time, time(turn, status === 'running', now));
    setText(this._detail, this._details(turn, status === 'running', asked));
    setShort(
      this._ending,
      controlsVisible(describeEnding(status, turn.finishReason, this._trans))
    );
    this.node.title = controlsVisible(describeDetails(turn, this._trans));
  }

  private _details(turn: ITurn, running: boolean, asked: boolean): string {
    if (!running) {
      return describeTokens(turn, this._trans);
    }
    if (asked) {
      return this._trans.__('waiting for you');
    }
    if (!turn.blocks.every(isBeforeAnswer)) {
      return '';
    }
    const waiting = this._trans.__('waiting for the answer');
    const context = describeHistory(turn.context, this._trans);
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

/**
 * Return whether a block comes before the model's answer: a notice or a call of the prompt itself.
 */
function isBeforeAnswer({ type, step }: IBlock): boolean {
  return type === 'notice' || step === 0;
}

/** Set a text of one line, with a tooltip if the style sheet may cut it. */
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
      : formatWholeSeconds((now - turn.started) / 1000);
  }
  return turn.duration === undefined ? '' : formatDuration(turn.duration);
}
