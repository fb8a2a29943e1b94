import type { TranslationBundle } from '@jupyterlab/translation';
import {
  kindOf,
  NOTICES,
  REASONINGS,
  TEXTS,
  TOOL_CALLS,
  TOOL_RESULTS
} from '../turn/kinds';
import { callOf, type IBlock, type ITurn } from '../turn/model';
import { asAmount, asText } from '../turn/reading';
import { controlsVisible, visible } from '../turn/text';
import {
  describeDetails,
  describeEnding,
  describeHistory,
  describeModel,
  describeTokens,
  formatCount,
  formatDuration,
  formatWholeSeconds,
  type ShownStatus
} from '../turn/wording';
import { actionButton, element, setText } from './dom';
import { type Act, type ITurnOffers, NO_OFFERS } from './host';

/** Length of a name that is never cut, in characters. */
const SHORT = 30;

/** The line above a turn: agent, model, time, tokens and how it ended. */
export class Header {
  /** @param act - Does something with the turn; null where there is no kernel. */
  constructor(
    private readonly _trans: TranslationBundle,
    act: Act | null
  ) {
    this._buttons = act && new HeaderButtons(this._trans, act);
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
  constructor(
    private readonly _trans: TranslationBundle,
    act: Act
  ) {
    const stop = this._trans.__('Stop');
    this._stop = actionButton(stop, stop, () => act({ kind: 'interrupt' }));
    this._stop.title = this._trans.__(
      'Stop this answer; what has arrived stays'
    );
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

  private readonly _stop: HTMLButtonElement;
  private readonly _swap: HTMLButtonElement;
}

/**
 * Return whether a block comes before the model's answer: a notice or a call of the prompt itself.
 */
function isBeforeAnswer(block: IBlock): boolean {
  return kindOf(block) === NOTICES || block.step === 0;
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

/** Shortest time between two announcements, in milliseconds. */
export const PAUSE = 3000;

/** A line that is read out and not seen. */
export class Announcer {
  constructor() {
    this.node.setAttribute('role', 'status');
    this.node.setAttribute('aria-live', 'polite');
  }

  readonly node = element('span', 'msgbook-Header-said');

  /**
   * Announce words, unless they are those of the last announcement or it was made a moment ago.
   *
   * @param now - Milliseconds since the epoch.
   */
  say(words: string, now: number): void {
    if (now - this._at >= PAUSE && this.node.textContent !== words) {
      this.sayNow(words, now);
    }
  }

  /** Announce words at once. */
  sayNow(words: string, now: number): void {
    this._at = now;
    setText(this.node, words);
  }

  private _at = -Infinity;
}

/** Calls a function each second while it is started and the page is to be seen. */
export class Ticker {
  constructor(private readonly _tick: () => void) {}

  start(): void {
    if (!this._started) {
      this._started = true;
      document.addEventListener('visibilitychange', this._onVisibility);
      this._run();
    }
  }

  stop(): void {
    this._started = false;
    document.removeEventListener('visibilitychange', this._onVisibility);
    this._pause();
  }

  private _run(): void {
    if (!document.hidden) {
      this._timer ??= window.setInterval(this._tick, 1000);
    }
  }

  private _pause(): void {
    window.clearInterval(this._timer);
    this._timer = undefined;
  }

  private readonly _onVisibility = (): void => {
    if (document.hidden) {
      this._pause();
    } else {
      this._tick();
      this._run();
    }
  };

  private _started = false;
  private _timer: number | undefined;
}

/** Return what a running turn does, in one line. */
export function describeActivity(
  { blocks }: ITurn,
  trans: TranslationBundle
): string {
  const step = Math.max(
    1,
    ...blocks.map(block => asAmount(block.step) ?? 0).slice(-50)
  );
  const last = blocks.at(-1);
  if (last === undefined) {
    return trans.__('Step %1: waiting for the answer', step);
  }
  switch (kindOf(last)) {
    case TEXTS:
      return trans.__('Step %1: the model answers', step);
    case REASONINGS:
      return trans.__('Step %1: the model reasons', step);
    case TOOL_CALLS:
      return trans.__('Step %1: tool %2', step, toolName(last.name));
    case TOOL_RESULTS: {
      const name = toolName(callOf(blocks, last)?.call.name);
      return last.status === undefined
        ? trans.__('Step %1: tool %2 runs', step, name)
        : trans.__('Step %1: tool %2 has ended', step, name);
    }
    case NOTICES:
      if (asAmount(last.retry_in) !== undefined) {
        return trans.__('Step %1: the server is asked again soon', step);
      }
  }
  return trans.__('Step %1: waiting for the answer', step);
}

/** Return that a turn has ended, and how. */
export function describeEnd(
  status: ShownStatus,
  trans: TranslationBundle
): string {
  switch (status) {
    case 'done':
      return trans.__('The turn has ended.');
    case 'error':
      return trans.__('The turn has failed.');
    default:
      return trans.__('The turn has ended early.');
  }
}

function toolName(name: unknown): string {
  return visible((asText(name) ?? '?').slice(0, 60));
}

/** Length of a token in characters, as an average of English text and code. */
const CHARACTERS = 4;

/** Time over which the rate is measured, and the shortest that gives one, in milliseconds. */
const WINDOW = 5000;
const SHORTEST = 1000;

/** Time between two measurements, in milliseconds. */
const INTERVAL = 250;

/** An estimate of how fast a model answers, from the characters that have arrived. */
export class Rate {
  /** Note the characters that have arrived at a time in milliseconds. */
  note(characters: number, now: number): void {
    const last = this._seen.at(-1);
    if (last !== undefined && characters < last.characters) {
      this._seen.length = 0;
    } else if (last !== undefined && now - last.at < INTERVAL) {
      return;
    }
    this._seen.push({ at: now, characters });
    while (this._seen.length > 2 && now - this._seen[1].at > WINDOW) {
      this._seen.shift();
    }
  }

  /** Tokens a second; null as long as nothing arrives. */
  get perSecond(): number | null {
    const [first] = this._seen;
    const last = this._seen.at(-1);
    const time = last === undefined ? 0 : last.at - first.at;
    if (last === undefined || time < SHORTEST) {
      return null;
    }
    const tokens = (last.characters - first.characters) / CHARACTERS;
    return tokens > 0 ? (1000 * tokens) / time : null;
  }

  private readonly _seen: { at: number; characters: number }[] = [];
}

/** Return the number of characters that the model of a turn has written. */
export function writtenCharacters(blocks: readonly IBlock[]): number {
  let sum = 0;
  for (const block of blocks) {
    const { isAnswer, content } = kindOf(block);
    const written = isAnswer ? block[content] : '';
    sum += typeof written === 'string' ? written.length : 0;
  }
  return sum;
}
