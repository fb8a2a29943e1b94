import { handle } from '../comm/handlers';
import type { JSONObject } from '@lumino/coreutils';

import { LiveTurns, WRITE_INTERVAL } from '../live/liveTurns';
import { turnBundle } from '../live/turnOutputs';
import type { TurnJson } from '../turn/delta';
import { TURN_MIME } from '../turn/model';
import { FakePage, said, turn } from './fakePage';

/** A page of a document that others show, too, in which another page runs the cell `a`. */
class Shared {
  readonly page = new FakePage('a');
  readonly sent: JSONObject[] = [];
  readonly live = new LiveTurns(this.page, data => this.sent.push(data) > 0);

  constructor() {
    this.page.isShared = true;
    this.page.running.add('a');
  }

  tell(value: TurnJson, writer: string | null = 'other'): void {
    handle(this.live.handlers, {
      type: 'turn',
      cell_id: 'a',
      display_id: 'd',
      seq: 0,
      turn: value,
      writer
    });
  }

  say(seq: number, text: string): void {
    handle(this.live.handlers, {
      type: 'turn.delta',
      display_id: 'd',
      seq,
      ops: [['append', 0, 'text', text]]
    });
  }

  name(writer: string | null, cell_id = 'a'): void {
    handle(this.live.handlers, {
      type: 'turn.writer',
      display_id: 'd',
      cell_id,
      writer
    });
  }
}

const DONE = { [TURN_MIME]: turn('done', 'xy') };

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('a turn that another page of the document writes', () => {
  it('is shown as it grows, and written by that one alone', () => {
    const { page, live, tell, say } = bound(new Shared());
    tell(turn('running', 'x'));
    expect(page.turn('a')).toBeNull();
    page.add('a', turnBundle(turn('running', 'x')));
    say(1, 'y');
    expect(said(live.currentTurn('a'))).toBe('xy');
    jest.advanceTimersByTime(10 * WRITE_INTERVAL);
    live.write();
    live.ensureShown('a');
    expect(said(page.turn('a'))).toBe('x');
  });

  it('is shown to its end until that has come into the document', () => {
    const { page, sent, live, tell } = bound(new Shared());
    page.add('a', turnBundle(turn('running', 'x')));
    tell(turn('running', 'x'));
    expect(live.receiveOutput('d', DONE)).toBeNull();
    expect(live.currentTurn('a')?.status).toBe('done');
    expect(page.turn('a')?.status).toBe('running');
    page.replace('a', DONE);
    expect(live.currentTurn('a')).toBeNull();
    expect([page.over, sent]).toEqual([[], []]);
    expect(page.running).toContain('a');
  });

  it('goes to this page when it is offered and this page is taken', () => {
    const { page, sent, live, tell, say, name } = bound(new Shared());
    tell(turn('running', 'x'));
    page.add('a', turnBundle(turn('running', 'x')));
    say(1, 'y');
    name(null);
    expect(sent).toEqual([{ type: 'turn.writing', display_id: 'd' }]);
    expect(said(page.turn('a'))).toBe('x');
    name('me');
    expect(said(page.turn('a'))).toBe('xy');
    expect(live.receiveOutput('d', DONE)).toBe('a');
    expect(page.turn('a')?.status).toBe('done');
    expect(page.running).not.toContain('a');
    expect(page.over).toEqual([turn('done', 'xy')]);
    expect(sent.slice(-1)).toEqual([{ type: 'turn.seen', display_id: 'd' }]);
  });

  it('goes to this page after its end, too', () => {
    const { page, sent, live, tell, name } = bound(new Shared());
    page.add('a', turnBundle(turn('running', 'x')));
    tell(turn('running', 'x'));
    live.receiveOutput('d', DONE);
    name(null);
    name('me');
    expect(page.turn('a')?.status).toBe('done');
    expect(sent.slice(-1)).toEqual([{ type: 'turn.seen', display_id: 'd' }]);
  });

  it('goes to this page when it was loaded after the other had gone', () => {
    const { page, tell, name } = bound(new Shared());
    name(null);
    name('me');
    tell(turn('running', 'x'), 'me');
    expect(said(page.turn('a'))).toBe('x');
  });

  it('does not bring back what a person cleared, however often this page is named', () => {
    const { page, tell, name } = bound(new Shared());
    tell(turn('running', 'x'));
    name(null);
    name('me');
    page.clear('a');
    name('me');
    expect(page.turn('a')).toBeNull();
  });

  it('stays with the page that was taken', () => {
    const { page, live, tell, name } = bound(new Shared());
    page.add('a', turnBundle(turn('running', 'x')));
    tell(turn('running', 'x'));
    name(null);
    name('third');
    live.receiveOutput('d', DONE);
    expect(page.turn('a')?.status).toBe('running');
  });
});

it('a page answers for the turn that it runs and writes', () => {
  const { page, sent, live, tell, say, name } = bound(new Shared());
  tell(turn('running', 'x'), 'me');
  page.add('a', turnBundle(turn('running', 'x')));
  say(1, 'y');
  name('me');
  expect(sent).toEqual([{ type: 'turn.writing', display_id: 'd' }]);
  jest.advanceTimersByTime(WRITE_INTERVAL);
  expect(said(page.turn('a'))).toBe('xy');
  // JupyterLab adds the error here, and ends the cell.
  expect(live.receiveOutput('d', DONE)).toBeNull();
  expect(page.running).toContain('a');
});

it('a page offers nothing of a cell that it does not show, or has for itself', () => {
  const { page, sent, name } = bound(new Shared());
  name(null, 'z');
  page.isShared = false;
  name(null);
  expect(sent).toEqual([]);
});

it.each([
  { type: 'turn.writer' },
  { type: 'turn.writer', cell_id: 'a', display_id: 'd' },
  { type: 'turn.writer', cell_id: 'a', display_id: 'd', writer: 1 }
])('a page ignores who writes where it is not well formed: %j', data => {
  const { sent, live } = new Shared();
  handle(live.handlers, data);
  expect(sent).toEqual([]);
});

/** The fixture with methods that can be taken out of it. */
function bound(shared: Shared) {
  return {
    page: shared.page,
    sent: shared.sent,
    live: shared.live,
    tell: shared.tell.bind(shared),
    say: shared.say.bind(shared),
    name: shared.name.bind(shared)
  };
}
