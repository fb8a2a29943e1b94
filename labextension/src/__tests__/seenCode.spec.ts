import { isInView, isSeen } from '../code/notebookCode';

const isAllSeen = (text: string) => isSeen({ language: 'python', text });

describe('code of which all is seen', () => {
  it.each([
    'x = 1\n    y = 2',
    '\tif x:\n\t\t\treturn y  # a tab',
    `x = 1  # ${'.'.repeat(200)}`,
    `x = 1${' '.repeat(200)}\ny = 2`,
    `x = 1\n\n\n\ndef f():\n    pass${'\n'.repeat(50)}`,
    `name = 'Zoë, Дмитрий, 文字, हिन्दी, ไทยก็ได้, e\u0301'`,
    `${' '.repeat(40)}deeply.indented()`
  ])('is run: %j', text => {
    expect(isAllSeen(text)).toBe(true);
  });
});

describe('code of which not all is seen', () => {
  const EVIL = 'evil()';

  it.each([
    [99, '\t'],
    [100, '\t'],
    [99, ' '],
    [61, ' '],
    [9, '\t'],
    [40, ' \t'],
    [2_000, ' ']
  ])('is not run after %d times %j', (count, blank) => {
    const gap = blank.repeat(count);
    for (const text of [
      `${gap}${EVIL}`,
      `x = 1${gap}; ${EVIL}`,
      `x = 1\nif x: pass;${gap}${EVIL}\ny`,
      `x = 1;${gap};${gap}${EVIL}`
    ]) {
      expect(isAllSeen(text)).toBe(false);
    }
  });

  it.each(['\n', ' \n', '\t\n', ' '.repeat(9) + '\n'])(
    'is not run after many lines %j',
    line => {
      expect(isAllSeen(`x = 1\n${line.repeat(300)}${EVIL}`)).toBe(false);
      expect(isAllSeen(`${line.repeat(300)}${EVIL}`)).toBe(false);
    }
  );

  it('is not run with any character that shows nothing, orders text or looks like a blank', () => {
    const characters = [
      0x00, 0x07, 0x0b, 0x0c, 0x0d, 0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x034f,
      0x061c, 0x115f, 0x1160, 0x1680, 0x17b4, 0x180e, 0x2000, 0x200a, 0x200b,
      0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x202f,
      0x205f, 0x2060, 0x2062, 0x2066, 0x2069, 0x2800, 0x3000, 0x3164, 0xd800,
      0xe000, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffc, 0xffff, 0x13441,
      0x16fe4, 0x1bca0, 0x1d159, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100,
      0xe01ef, 0x10fffd
    ];
    const unnoticed = characters.filter(number =>
      isAllSeen(`x = 'a${String.fromCodePoint(number)}b'`)
    );
    expect(unnoticed.map(number => number.toString(16))).toEqual([]);
  });

  it('is not run below a pile of marks', () => {
    expect(isAllSeen(`x = 'a${'\u0336\u0301'.repeat(20)}'`)).toBe(false);
  });
});

describe('an element', () => {
  function placed(
    tag: string,
    [left, top, width, height]: readonly number[],
    overflow = 'visible'
  ): HTMLElement {
    const node = document.createElement(tag);
    node.style.overflowX = node.style.overflowY = overflow;
    node.getBoundingClientRect = () =>
      ({ left, top, right: left + width, bottom: top + height }) as DOMRect;
    return node;
  }

  const [WIDTH, HEIGHT] = [window.innerWidth, window.innerHeight];

  it.each([
    ['in the middle', [10, 10, 100, 100], [0, 0, WIDTH, HEIGHT], true],
    ['below the window', [0, 10, 100, HEIGHT], [0, 0, WIDTH, 9_999], false],
    ['above the window', [0, -50, 100, 100], [0, -50, WIDTH, 200], false],
    ['below its box', [0, 10, 100, 100], [0, 0, WIDTH, 50], false],
    ['beside its box', [0, 10, 300, 20], [0, 0, 200, 50], false]
  ])('%s is in view: %j', (_, place, box, isSeenWhole) => {
    const code = placed('pre', place);
    const outer = placed('div', box, 'auto');
    outer.append(document.createElement('p'));
    outer.firstElementChild!.append(code);
    outer.firstElementChild!.getBoundingClientRect = () => new DOMRect();
    document.body.append(outer);

    expect(isInView(code)).toBe(isSeenWhole);
  });

  it('that has to be scrolled is not in view', () => {
    for (const side of ['Width', 'Height']) {
      const code = placed('pre', [0, 0, 100, 100]);
      Object.defineProperty(code, `scroll${side}`, { value: 500 });
      Object.defineProperty(code, `client${side}`, { value: 100 });
      expect(isInView(code)).toBe(false);
    }
  });
});
