import fixtures from '../../../tests/display/fixtures/turn_deltas.json';
import { applyOps, turnJson, type TurnJson } from '../turn/delta';

interface ICase {
  readonly title: string;
  readonly before: TurnJson;
  readonly ops: unknown;
  readonly after: TurnJson;
}

// Written by the kernel's tests: both sides mean the same by them.
const CASES = fixtures as unknown as ICase[];

const turn: TurnJson = {
  version: 1,
  status: 'running',
  blocks: [
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two', step: 1 }
  ]
};

describe('applyOps', () => {
  it.each(CASES)('does what the kernel says: $title', value => {
    const copy = JSON.stringify(value.before);
    expect(applyOps(value.before, value.ops)).toEqual(value.after);
    expect(JSON.stringify(value.before)).toBe(copy);
  });

  it('keeps the identity of what does not change', () => {
    const after = applyOps(turn, [['append', 1, 'text', '!']])!;
    const [first, second] = after.blocks as object[];
    expect(first).toBe((turn.blocks as object[])[0]);
    expect(second).toEqual({ type: 'text', text: 'two!', step: 1 });
  });

  it.each([
    null,
    'x',
    {},
    [null],
    ['head'],
    [[]],
    [['head']],
    [['head', null]],
    [['head', []]],
    [['head', {}]],
    [['head', { version: 1 }]],
    [['head', { version: 1 }]],
    [['block', 0]],
    [['block', 3, { type: 'text' }]],
    [['block', -1, { type: 'text' }]],
    [['block', 0.5, { type: 'text' }]],
    [['block', '0', { type: 'text' }]],
    [['block', 0, { text: 'no type' }]],
    [['block', 0, null]],
    [['append', 2, 'text', 'x']],
    [['append', -1, 'text', 'x']],
    [['append', 0, 'step', 'x']],
    [['append', 1, 'step', 'x']],
    [['append', 0, '__proto__', 'x']],
    [['append', 0, 'constructor', 'x']],
    [['append', 0, 'text', 1]],
    [['append', 0, 'text']],
    [['append', 0, 'text', 'x', 'y']],
    [['remove', 0]],
    [
      ['append', 0, 'text', 'x'],
      ['append', 9, 'text', 'x']
    ]
  ])('refuses what does not fit: %j', ops => {
    const copy = JSON.stringify(turn);
    expect(applyOps(turn, ops)).toBeNull();
    expect(JSON.stringify(turn)).toBe(copy);
  });

  it('does not let the head replace the blocks', () => {
    const head = { version: 1, status: 'done', blocks: [] };
    const after = applyOps(turn, [['head', head]])!;
    expect(after.status).toBe('done');
    expect(after.blocks).toEqual(turn.blocks);
  });
});

describe('turnJson', () => {
  it('keeps keys it does not know', () => {
    const value = { ...turn, future: { key: 1 } };
    expect(turnJson(value)).toBe(value);
    expect(turnJson({ status: 'done' })).toBeNull();
  });
});
