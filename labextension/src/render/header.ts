import type { TranslationBundle } from '@jupyterlab/translation';

import { describeActivity, describeEnd } from '../turn/activity';
import type { IBlock, ITurn } from '../turn/model';
import { Rate, writtenCharacters } from '../turn/rate';
import { controlsVisible } from '../turn/text';
import {
  describeEnding,
  describeHistory,
  describeDetails,
  describeModel,
  formatDuration,
  describeTokens,
  formatCount,
  formatWholeSeconds,
  type ShownStatus
} from '../turn/wording';
import { actionButton } from './actionButton';
import { Announcer } from './announcer';
import { element, setText } from './dom';
import { NO_OFFERS, type Act, type ITurnOffers } from './host';

/** Length of a name that is never cut, in characters. */
const SHORT = 30;

/** The line above a turn: agent, model, time, tokens and how it ended. */
export class Header {
  /** @param act - Does something with the turn; null where there is no kernel. */
  constructor(trans: TranslationBundle, act: Act | null) {
    this._trans = trans;
    this._buttons = act && new HeaderButtons(trans, act);
    this.node = element(
      'div',
      'msgbook-Header',
      this._dot,
      this._agent,
      this._model,
      this._time,
      this._detail,
      this._ending,
      ...(this._buttons?.nodes ?? []),
      this._announcer.node
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
  show(
    turn: ITurn,
    status: ShownStatus,
    asked: boolean,
    now: number,
    offers: ITurnOffers = NO_OFFERS
  ): void {
    this.node.dataset.status = status;
    this._announce(turn, status, asked, now);
    this._rate.note(writtenCharacters(turn.blocks), now);
    this._buttons?.show(status === 'running', offers);
    const agent = turn.agent === 'assistant' ? '' : (turn.agent ?? '');
    setShort(this._agent, controlsVisible(agent));
    setShort(this._model, controlsVisible(describeModel(turn, this._trans)));
    setText(this._time, time(turn, status === 'running', now, this._trans));
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
      const rate = this._rate.perSecond;
      return rate === null
        ? ''
        : this._trans.__('about %1 tokens/s', formatCount(Math.round(rate)));
    }
    const waiting = this._trans.__('waiting for the answer');
    const context = describeHistory(turn.context, this._trans);
    return context === '' ? waiting : `${waiting} · ${context}`;
  }

  private _announce(
    turn: ITurn,
    status: ShownStatus,
    asked: boolean,
    now: number
  ): void {
    if (status === 'running') {
      this._ran = true;
      // A question announces itself.
      if (!asked) {
        this._announcer.say(describeActivity(turn, this._trans), now);
      }
    } else if (this._ran && status !== 'connecting') {
      this._ran = false;
      this._announcer.sayNow(describeEnd(status, this._trans), now);
    }
  }

  private readonly _trans: TranslationBundle;
  private readonly _buttons: HeaderButtons | null;
  private readonly _announcer = new Announcer();
  private readonly _rate = new Rate();
  /** Whether the turn was seen running. */
  private _ran = false;
  private readonly _dot = element('span', 'msgbook-Header-dot');
  private readonly _agent = element('span', 'msgbook-Header-agent');
  private readonly _model = element('span', 'msgbook-Header-model');
  private readonly _time = element('span', 'msgbook-Header-time');
  private readonly _detail = element('span', 'msgbook-Header-detail');
  private readonly _ending = element('span', 'msgbook-Header-ending');
}

/** The buttons in the line above a turn. */
class HeaderButtons {
  constructor(trans: TranslationBundle, act: Act) {
    this._trans = trans;
    const stop = trans.__('Stop');
    this._stop = actionButton(stop, stop, () => act({ kind: 'interrupt' }));
    this._stop.title = trans.__('Stop this answer; what has arrived stays');
    this._swap = actionButton('', '', () => act({ kind: 'swap' }));
    this.nodes = [this._stop, this._swap];
    this.nodes.forEach(node => (node.hidden = true));
  }

  readonly nodes: readonly HTMLButtonElement[];

  show(running: boolean, { stop, other }: ITurnOffers): void {
    this._stop.hidden = !running || !stop;
    this._swap.hidden = running || other === null;
    const label =
      other === 'later'
        ? this._trans.__('Later answer')
        : this._trans.__('Earlier answer');
    setText(this._swap, label);
    this._swap.setAttribute('aria-label', label);
    this._swap.title =
      other === 'later'
        ? this._trans.__('Show the answer of the last run again')
        : this._trans.__('Show the answer that the last run has replaced');
  }

  private readonly _trans: TranslationBundle;
  private readonly _stop: HTMLButtonElement;
  private readonly _swap: HTMLButtonElement;
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

function time(
  turn: ITurn,
  running: boolean,
  now: number,
  trans: TranslationBundle
): string {
  if (running) {
    return turn.started === undefined
      ? ''
      : formatWholeSeconds((now - turn.started) / 1000, trans);
  }
  return turn.duration === undefined
    ? ''
    : formatDuration(turn.duration, trans);
}
