import { Cuts, isOneUnit } from '../render/textView';

const TEXT = [
  'First paragraph\nof two lines.\n',
  '\n\n- one\n\n  still one\n- two\n\n- three\n',
  '\n1. a\n\n2. b\n',
  '\n```python\na = 1\n\nb = 2\n```\n',
  '\n~~~~\n```\n\n~~~\n~~~~\n',
  '\nWith `$$` in code.\n',
  '\n*emphasis*\n',
  '\nLast'
].join('');

/** The texts between the cuts: of units, of pieces, and the rest. */
function cut(text: string, ended = false): [string[], string[], string] {
  const cuts = new Cuts();
  cuts.read(text, ended);
  let at = 0;
  const parts = (ends: readonly number[]) =>
    ends.map(end => text.slice(at, (at = end)));
  return [parts(cuts.units), parts(cuts.pieces), text.slice(at)];
}

describe('cuts', () => {
  it('are the same however the text has grown', () => {
    const growing = new Cuts();
    for (let length = 0; length <= TEXT.length; length++) {
      const text = TEXT.slice(0, length);
      growing.read(text, false);
      const once = new Cuts();
      once.read(text, false);
      expect([growing.units, growing.pieces]).toEqual([
        once.units,
        once.pieces
      ]);
    }
    expect(growing.units.length).toBe(6);
  });

  it('never change a unit that was complete', () => {
    let before: string[] = [];
    for (let length = 0; length <= TEXT.length; length++) {
      const [units] = cut(TEXT.slice(0, length));
      expect(units.slice(0, before.length)).toEqual(before);
      before = units;
    }
  });

  it('are at a blank line when the next paragraph has begun', () => {
    expect(cut('a\n\n')).toEqual([[], [], 'a\n\n']);
    expect(cut('a\n\nb')).toEqual([['a\n\n'], [], 'b']);
    expect(cut('a\n\nb', true)).toEqual([['a\n\n', 'b'], [], '']);
  });

  it('leave a list whole, with pieces while it grows', () => {
    expect(cut('- a\n\n- b\n\n- c')).toEqual([
      [],
      ['- a\n\n', '- b\n\n'],
      '- c'
    ]);
    expect(cut('- a\n\n-')).toEqual([[], [], '- a\n\n-']);
    expect(cut('- a\n\n**b')).toEqual([['- a\n\n'], [], '**b']);
    expect(cut('a\n- b\n\n- c\n\nd')).toEqual([['a\n- b\n\n- c\n\n'], [], 'd']);
  });

  it('are at each item of a list without blank lines while it grows', () => {
    expect(cut('- a\n- b\n  - c\n- d')).toEqual([
      [],
      ['- a\n', '- b\n  - c\n'],
      '- d'
    ]);
    expect(cut('a\n1. b\n2')).toEqual([[], [], 'a\n1. b\n2']);
    expect(cut('a\n1. b\n2. c')).toEqual([[], ['a\n1. b\n'], '2. c']);
    expect(cut('- a\n- b\n\nc')).toEqual([['- a\n- b\n\n'], [], 'c']);
    expect(cut('- a\n  ```\n  - b\n  ```\n- c')).toEqual([
      [],
      ['- a\n  ```\n  - b\n  ```\n'],
      '- c'
    ]);
  });

  it.each([
    ['a code fence', '```\na\n\nb'],
    ['a longer fence with a shorter one inside', '````\n```\n\nb'],
    ['a fence of tildes with backticks inside', '~~~\n```\n\nb'],
    ['an indented fence around lines that are not', '  ```\na\n\nb'],
    ['a list item with paragraphs', '- a\n\n  b']
  ])('are not in %s', (_, text) => {
    expect(cut(text)).toEqual([[], [], text]);
  });
});

describe('what changes the look of other parts', () => {
  it.each([
    '[a]: /b',
    'x\n\n[a b]:\n  <c> "title"',
    '> - [a\\]]: /b',
    '[^1]: One',
    '[^1]: A note.',
    'x\n\n<details>\n'
  ])('is in %j', text => expect(isOneUnit(text)).toBe(true));

  it.each(['for x in y[1:]:', 'x <details>', '[a] : /b'])(
    'is not in %j',
    text => expect(isOneUnit(text)).toBe(false)
  );
});
