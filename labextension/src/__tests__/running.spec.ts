import { nullTranslator } from '@jupyterlab/translation';
import {
  Announcer,
  describeActivity,
  Header,
  PAUSE,
  Rate,
  Ticker,
  writtenCharacters
} from '../render/header';
import { ContinueLine } from '../render/turnRenderer';
import { NO_OFFERS, type TurnAction } from '../render/host';
import { type ITurn, parseTurn } from '../turn/model';

const trans = nullTranslator.load('msgbook');

function turn(status: string, ...blocks: object[]): ITurn {
  return parseTurn({ version: 1, status, blocks })!;
}

function hide(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', {
    configurable: true,
    value: hidden
  });
  document.dispatchEvent(new Event('visibilitychange'));
}

describe('Rate', () => {
  it('is the tokens of the last seconds', () => {
    const rate = new Rate();
    rate.note(0, 0);
    expect(rate.perSecond).toBeNull();
    for (let second = 1; second <= 60; second++) {
      rate.note(second * 40, second * 1000);
    }
    expect(rate.perSecond).toBeCloseTo(10);
    for (let second = 61; second <= 80; second++) {
      rate.note(2400 + (second - 60) * 400, second * 1000);
    }
    expect(rate.perSecond).toBeCloseTo(100);
  });

  it('is nothing while nothing arrives, and begins anew with another turn', () => {
    const rate = new Rate();
    for (let second = 0; second <= 20; second++) {
      rate.note(400, second * 1000);
    }
    expect(rate.perSecond).toBeNull();
    rate.note(0, 21_000);
    rate.note(80, 23_000);
    expect(rate.perSecond).toBeCloseTo(10);
  });

  it('counts what the model wrote, whatever the turn holds', () => {
    const blocks = [
      { type: 'text', text: 'abc' },
      { type: 'reasoning', text: ['x'] },
      { type: 'tool_call', arguments: '{}' },
      { type: 'tool_result', content: 'long long' }
    ];
    expect(writtenCharacters(blocks)).toBe(5);
  });
});

describe('describeActivity', () => {
  it.each([
    [[], 'Step 1: waiting for the answer'],
    [[{ type: 'reasoning', step: 2 }], 'Step 2: the model reasons'],
    [[{ type: 'text', step: 3 }], 'Step 3: the model answers'],
    [
      [{ type: 'tool_call', step: 2, name: 'a\u202e' }],
      'Step 2: tool a\\u202e'
    ],
    [
      [
        { type: 'tool_call', step: 2, id: 'c', name: 'shell' },
        { type: 'tool_result', step: 2, id: 'c' }
      ],
      'Step 2: tool shell runs'
    ],
    [
      [{ type: 'notice', retry_in: 3 }],
      'Step 1: the server is asked again soon'
    ]
  ])('%j', (blocks, words) => {
    expect(describeActivity(turn('running', ...blocks), trans)).toBe(words);
  });
});

describe('Announcer', () => {
  it('says something new at most each few seconds', () => {
    const announcer = new Announcer();
    announcer.say('a', 0);
    announcer.say('b', PAUSE - 1);
    expect(announcer.node.textContent).toBe('a');
    announcer.say('c', PAUSE);
    expect(announcer.node.textContent).toBe('c');
    announcer.sayNow('d', PAUSE + 1);
    expect(announcer.node.textContent).toBe('d');
  });
});

describe('Ticker', () => {
  beforeEach(() => void jest.useFakeTimers());

  afterEach(() => {
    hide(false);
    jest.useRealTimers();
  });

  it('ticks only while it is started and the page is to be seen', () => {
    const tick = jest.fn();
    const ticker = new Ticker(tick);
    jest.advanceTimersByTime(3000);
    expect(jest.getTimerCount()).toBe(0);
    ticker.start();
    ticker.start();
    jest.advanceTimersByTime(2000);
    expect(tick).toHaveBeenCalledTimes(2);
    hide(true);
    expect(jest.getTimerCount()).toBe(0);
    hide(false);
    expect(tick).toHaveBeenCalledTimes(3);
    jest.advanceTimersByTime(1000);
    expect(tick).toHaveBeenCalledTimes(4);
    ticker.stop();
    hide(true);
    hide(false);
    expect(jest.getTimerCount()).toBe(0);
    expect(tick).toHaveBeenCalledTimes(4);
  });

  it('does not start on a page that is hidden', () => {
    hide(true);
    const ticker = new Ticker(() => undefined);
    ticker.start();
    expect(jest.getTimerCount()).toBe(0);
    ticker.stop();
  });
});

describe('Header', () => {
  function fixture() {
    const done: TurnAction[] = [];
    const header = new Header(trans, action => {
      done.push(action);
      return Promise.resolve();
    });
    const find = (part: string) =>
      header.node.querySelector<HTMLElement>(`.msgbook-${part}`)!;
    return { header, done, find };
  }

  it('says how fast the model answers, and what it does, while it runs', () => {
    const { header, find } = fixture();
    const show = (characters: number, now: number) => {
      const text = 'x'.repeat(characters);
      header.show(
        turn('running', { type: 'text', step: 1, text }),
        ...(['running', false, now] as const)
      );
    };
    show(1, 0);
    show(401, 2000);
    expect(find('Header-detail').textContent).toBe('about 50 tokens/s');
    expect(find('Header-said').textContent).toBe('Step 1: the model answers');
    header.show(turn('done'), 'done', false, 2100);
    expect(find('Header-said').textContent).toBe('The turn has ended.');
  });

  it('announces nothing of a turn that ended before', () => {
    const { header, find } = fixture();
    header.show(turn('done'), 'done', false, 0);
    expect(find('Header-said').textContent).toBe('');
  });

  it('offers nothing where there is no kernel', () => {
    const header = new Header(trans, null);
    header.show(turn('incomplete'), 'incomplete', false, 0);
    expect(header.node.querySelector('button')).toBeNull();
  });
});

it('what broke off is continued at its end, once', () => {
  const done: TurnAction[] = [];
  const line = new ContinueLine(trans, action => {
    done.push(action);
    return Promise.resolve();
  });
  const part = { type: 'text', text: 'a' };
  for (const status of ['incomplete', 'interrupted', 'error'] as const) {
    line.show(turn(status, part), status, NO_OFFERS);
    expect(line.node.hidden).toBe(false);
    line.show(turn(status, part), status, { ...NO_OFFERS, isContinued: true });
    expect(line.node.hidden).toBe(true);
    line.show(turn(status, { type: 'notice' }), status, NO_OFFERS);
    expect(line.node.hidden).toBe(true);
  }
  line.show(turn('done', part), 'done', NO_OFFERS);
  expect(line.node.hidden).toBe(true);
  line.node.querySelector('button')!.click();
  expect(done).toEqual([{ kind: 'continue' }]);
});
