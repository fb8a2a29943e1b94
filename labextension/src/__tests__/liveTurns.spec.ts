import { handle } from '../comm/handlers';
import type { JSONObject } from '@lumino/coreutils';

import { LiveTurns, WRITE_INTERVAL } from '../live/liveTurns';
import { turnBundle } from '../live/turnOutputs';
import type { TurnJson } from '../turn/delta';
import { TURN_MIME } from '../turn/model';
import { FakePage, said, turn } from './fakePage';

interface IFixture {
  page: FakePage;
  live: LiveTurns;
  sent: JSONObject[];
  begin(seq?: number, value?: TurnJson): void;
  say(seq: number, text: string): void;
}

/** A notebook with the cells `a` and `b`, of which this page runs `a`. */
function fixture(): IFixture {
  const page = new FakePage('a', 'b');
  page.running.add('a');
  const sent: JSONObject[] = [];
  const live = new LiveTurns(page, data => sent.push(data) > 0);
  return {
    page,
    live,
    sent,
    begin: (seq = 0, value = turn('running', '>')) =>
      handle(live.handlers, {
        type: 'turn',
        cell_id: 'a',
        display_id: 'd',
        seq,
        turn: value
      }),
    say: (seq, text) =>
      handle(live.handlers, {
        type: 'turn.delta',
        display_id: 'd',
        seq,
        ops: [['append', 0, 'text', text]]
      })
  };
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('a turn that this page runs', () => {
  it('grows at once, and in the outputs once a second', () => {
    const { page, live, begin, say } = fixture();
    begin();
    page.add('a', turnBundle(turn('running', '>')));
    say(1, 'x');
    say(2, 'y');
    expect(said(live.currentTurn('a'))).toBe('>xy');
    expect(page.refreshed).toEqual(['a', 'a', 'a']);
    expect(said(page.turn('a'))).toBe('>');
    jest.advanceTimersByTime(WRITE_INTERVAL);
    expect(said(page.turn('a'))).toBe('>xy');
    expect(page.writes).toBe(1);
    jest.advanceTimersByTime(10 * WRITE_INTERVAL);
    expect(page.writes).toBe(1);
  });

  it('is written before a save', () => {
    const { page, live, begin, say } = fixture();
    begin();
    page.add('a', turnBundle(turn('running', '>')));
    say(1, 'x');
    live.write();
    expect(said(page.turn('a'))).toBe('>x');
  });

  it('is not added where its output is not yet, or was cleared', () => {
    const { page, live, begin, say } = fixture();
    begin();
    say(1, 'x');
    live.write();
    expect(page.turn('a')).toBeNull();
  });

  it('ends with the kernel’s own output, which it confirms', () => {
    const { page, live, sent, begin, say } = fixture();
    begin();
    page.add('a', turnBundle(turn('running', '>')));
    say(1, 'x');
    const data = { [TURN_MIME]: turn('done', '>xy'), 'text/markdown': 'good' };
    expect(live.receiveOutput('d', data)).toBeNull();
    expect(page.outputs.get('a')).toBe(data);
    expect(live.currentTurn('a')).toBeNull();
    expect(sent).toEqual([{ type: 'turn.seen', display_id: 'd' }]);
    expect(page.over).toEqual([turn('done', '>xy')]);
    jest.advanceTimersByTime(WRITE_INTERVAL);
    expect(page.outputs.get('a')).toBe(data);
    expect(page.running).toContain('a');
  });

  it('does not go back to an older output of the kernel', () => {
    const { live, begin, say } = fixture();
    begin();
    say(1, 'x');
    live.receiveOutput('d', { [TURN_MIME]: turn('running', '>') });
    expect(said(live.currentTurn('a'))).toBe('>x');
  });

  it('keeps what was shown when the kernel is gone', () => {
    const { page, live, begin, say } = fixture();
    begin();
    page.add('a', turnBundle(turn('running', '>')));
    say(1, 'x');
    live.end();
    expect(said(page.turn('a'))).toBe('>x');
    expect(page.turn('a')?.status).toBe('running');
    expect(live.currentTurn('a')).toBeNull();
    expect(page.over).toEqual([]);
  });
});

describe('a change that is missing', () => {
  it('makes the page ask for the whole turn, once, and go on from it', () => {
    const { live, sent, begin, say } = fixture();
    begin();
    say(2, 'y');
    say(3, 'z');
    expect(sent).toEqual([
      {
        type: 'turn.get',
        request_id: expect.any(String) as string,
        cell_id: 'a'
      }
    ]);
    expect(live.currentTurn('a')).toBeNull();
    begin(3, turn('running', '>xyz'));
    say(3, 'z');
    say(4, '!');
    expect(said(live.currentTurn('a'))).toBe('>xyz!');
    expect(sent).toHaveLength(1);
  });

  it('is asked for again when no answer comes', () => {
    const { sent, begin, say } = fixture();
    begin();
    say(2, 'y');
    jest.advanceTimersByTime(5000);
    say(3, 'z');
    expect(sent).toHaveLength(2);
  });

  it('may be a change that does not fit', () => {
    const { live, sent, begin } = fixture();
    begin();
    handle(live.handlers, {
      type: 'turn.delta',
      display_id: 'd',
      seq: 1,
      ops: [['append', 7, 'text', 'x']]
    });
    expect(sent).toHaveLength(1);
  });

  it('keeps the wrong turn out of the outputs', () => {
    const { page, live, begin, say } = fixture();
    begin();
    page.add('a', turnBundle(turn('running', 'of the kernel')));
    say(2, 'y');
    live.write();
    live.end();
    expect(said(page.turn('a'))).toBe('of the kernel');
  });

  it.each([
    null,
    1,
    'turn',
    { type: 'turn' },
    { type: 'turn', cell_id: 'a', display_id: 'd', seq: 0, turn: null },
    { type: 'turn', cell_id: 'a', display_id: 'd', seq: -1, turn: turn('x') },
    { type: 'turn.delta' },
    { type: 'turn.delta', display_id: 'd', seq: '1', ops: [] },
    { type: 'turn.delta', display_id: ['d'], seq: 1, ops: [] }
  ])('is not a message that is not well formed: %j', data => {
    const { live, sent, begin } = fixture();
    begin();
    handle(live.handlers, data);
    expect(said(live.currentTurn('a'))).toBe('>');
    expect(sent).toEqual([]);
  });
});

describe('a turn that another page began, or this one before it was loaded', () => {
  function answer(live: LiveTurns, value: TurnJson | null, seq = 4): void {
    handle(live.handlers, {
      type: 'turn',
      request_id: 'r',
      cell_id: 'b',
      display_id: 'e',
      seq,
      turn: value
    });
  }

  it('is asked for where there is none, and where it is not finished', () => {
    const { page, live, sent } = fixture();
    page.outputs.set('c', turnBundle(turn('done', 'x')));
    page.outputs.set('d', turnBundle(turn('running', 'x')));
    live.ask();
    expect(sent.map(({ cell_id }) => cell_id)).toEqual(['a', 'b', 'd']);
  });

  it('is being asked for until the kernel answers, or is gone', () => {
    const { page, live } = fixture();
    expect(live.isAsked('b')).toBe(false);
    live.ask();
    expect(live.isAsked('b')).toBe(true);
    handle(live.handlers, {
      type: 'turn',
      request_id: 'r',
      cell_id: 'b',
      display_id: null,
      seq: 0,
      turn: null
    });
    expect(live.isAsked('b')).toBe(false);
    expect(page.refreshed).toEqual(['b']);
    expect(live.isAsked('a')).toBe(true);
    live.end();
    expect(live.isAsked('a')).toBe(false);
  });

  it('is not waited for for ever: the answer can be lost', () => {
    jest.useFakeTimers();
    try {
      const { live } = fixture();
      live.ask();
      jest.advanceTimersByTime(1999);
      expect(live.isAsked('b')).toBe(true);
      jest.advanceTimersByTime(1);
      expect(live.isAsked('b')).toBe(false);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is not waited for where the kernel cannot be asked', () => {
    const live = new LiveTurns(new FakePage('a'), () => false);
    live.ask();
    expect(live.isAsked('a')).toBe(false);
  });

  it('is added, runs, follows its changes and ends', () => {
    const { page, live } = fixture();
    answer(live, turn('running', 'so far'));
    expect(said(page.turn('b'))).toBe('so far');
    expect(page.running).toContain('b');
    handle(live.handlers, {
      type: 'turn.delta',
      display_id: 'e',
      seq: 5,
      ops: [['append', 0, 'text', ', and on']]
    });
    jest.advanceTimersByTime(WRITE_INTERVAL);
    expect(said(page.turn('b'))).toBe('so far, and on');
    const data = { [TURN_MIME]: turn('done', 'so far, and on.') };
    expect(live.receiveOutput('e', data)).toBe('b');
    expect(page.outputs.get('b')).toBe(data);
    expect(page.running).not.toContain('b');
  });

  it('takes the place of what was saved of it', () => {
    const { page, live } = fixture();
    page.outputs.set('b', turnBundle(turn('running', 'so')));
    answer(live, turn('running', 'so far'));
    expect(said(page.turn('b'))).toBe('so far');
  });

  it('may have ended already', () => {
    const { page, live, sent } = fixture();
    answer(live, turn('done', 'all of it'));
    expect(said(page.turn('b'))).toBe('all of it');
    expect(page.running).not.toContain('b');
    expect(sent).toEqual([{ type: 'turn.seen', display_id: 'e' }]);
    expect(page.over).toEqual([turn('done', 'all of it')]);
  });

  it('does not spoil what the kernel wrote itself', () => {
    const { page, live } = fixture();
    const data = { [TURN_MIME]: turn('done', 'x'), 'text/markdown': 'good' };
    page.outputs.set('b', data);
    answer(live, turn('done', 'x'));
    expect(page.outputs.get('b')).toBe(data);
  });

  it('is nothing when the kernel has nothing', () => {
    const { page, live } = fixture();
    answer(live, null);
    expect(page.turn('b')).toBeNull();
    expect(page.running).not.toContain('b');
  });

  it('that begins takes the place of the cell’s earlier outputs', () => {
    const { page, live } = fixture();
    const earlier = { ...turn('done', 'earlier'), started: 'earlier' };
    page.outputs.set('b', turnBundle(earlier));
    const clear = jest.spyOn(page, 'clear');
    handle(live.handlers, {
      type: 'turn',
      cell_id: 'b',
      display_id: 'e',
      seq: 0,
      turn: turn('running')
    });
    expect(clear).toHaveBeenCalledWith('b');
    expect(page.turn('b')?.status).toBe('running');
  });

  it('is not brought back when a person clears it', () => {
    const { page, live } = fixture();
    answer(live, turn('running', 'so far'));
    page.clear('b');
    handle(live.handlers, {
      type: 'turn.delta',
      display_id: 'e',
      seq: 5,
      ops: [['append', 0, 'text', '!']]
    });
    live.write();
    expect(page.turn('b')).toBeNull();
    live.ensureShown('b');
    expect(said(page.turn('b'))).toBe('so far!');
  });

  it('of another notebook is left alone', () => {
    const { page, live, sent } = fixture();
    handle(live.handlers, {
      type: 'turn',
      cell_id: 'z',
      display_id: 'e',
      seq: 0,
      turn: turn('running')
    });
    handle(live.handlers, {
      type: 'turn.delta',
      display_id: 'e',
      seq: 1,
      ops: []
    });
    expect(page.refreshed).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('of an unknown cell is asked for once', () => {
    const { live, sent } = fixture();
    handle(live.handlers, {
      type: 'turn.delta',
      display_id: 'e',
      seq: 1,
      ops: []
    });
    handle(live.handlers, {
      type: 'turn.delta',
      display_id: 'e',
      seq: 2,
      ops: []
    });
    expect(sent.map(({ cell_id }) => cell_id)).toEqual(['a', 'b']);
  });

  it('stops when the kernel is gone', () => {
    const { page, live } = fixture();
    answer(live, turn('running', 'so far'));
    live.end();
    expect(page.running).not.toContain('b');
    expect(said(page.turn('b'))).toBe('so far');
  });
});

describe('a turn that a killed kernel left behind', () => {
  const recover = ({ live }: IFixture, value: TurnJson) =>
    handle(live.handlers, {
      type: 'turn',
      cell_id: 'b',
      display_id: 'r',
      seq: 0,
      turn: value,
      recovered: true
    });
  const seen = { type: 'turn.seen', display_id: 'r' };

  it.each<[string, TurnJson | null, string]>([
    ['nothing', null, 'All that came.'],
    ['less of it', turn('running', 'All'), 'All that came.'],
    [
      'more of it',
      turn('running', 'All that came, and more.'),
      'All that came, and more.'
    ],
    [
      'an older turn',
      { ...turn('done', 'An answer of yesterday.'), started: '2026-11-19' },
      'All that came.'
    ],
    [
      'a later turn',
      { ...turn('done', 'A.'), started: '2026-11-21T10:00:00Z' },
      'A.'
    ]
  ])('is shown where the notebook has %s', (_, there, shown) => {
    const all = fixture();
    if (there !== null) {
      all.page.add('b', turnBundle(there));
    }
    recover(all, turn('interrupted', 'All that came.'));
    expect(said(all.page.turn('b'))).toBe(shown);
    expect(all.sent).toEqual([seen]);
    expect(all.page.isRunning('b')).toBe(false);
  });
});

it('The kernel is told that a turn is safe only when it is saved', async () => {
  const page = new FakePage('a');
  page.running.add('a');
  const sent: JSONObject[] = [];
  const told: string[] = [];
  let save = () => undefined as void;
  const live = new LiveTurns(page, data => sent.push(data) > 0, {
    begin: (cellId, adopted) => void told.push(`${cellId} begins ${adopted}`),
    grow: () => void told.push('grows'),
    end: (cellId, adopted) => {
      told.push(`${cellId} ends ${adopted}`);
      return new Promise(resolve => (save = resolve));
    }
  });
  const receive = (value: TurnJson, seq: number) =>
    handle(live.handlers, {
      type: 'turn',
      cell_id: 'a',
      display_id: 'd',
      seq,
      turn: value
    });
  receive(turn('running', '>'), 0);
  page.add('a', turnBundle(turn('running', '>')));
  handle(live.handlers, {
    type: 'turn.delta',
    display_id: 'd',
    seq: 1,
    ops: [['append', 0, 'text', 'x']]
  });
  jest.advanceTimersByTime(WRITE_INTERVAL);
  live.receiveOutput('d', turnBundle(turn('done', '>xy')));
  await Promise.resolve();
  expect([told, sent]).toEqual([
    ['a begins false', 'grows', 'a ends false'],
    []
  ]);
  save();
  await Promise.resolve();
  expect(sent).toEqual([{ type: 'turn.seen', display_id: 'd' }]);
});
