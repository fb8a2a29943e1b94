import { splitChunks } from '../turn/chunks';

const TEXT = [
  'First paragraph\nof two lines.\n',
  '\n\n- one\n\n  still one\n- two\n',
  '\n```python\na = 1\n\nb = 2\n```\n',
  '\n~~~~\n```\n\n~~~\n~~~~\n',
  '\n$$\nx\n\ny\n$$\n',
  '\nWith `$$` in code.\n',
  '\nLast'
].join('');

describe('splitChunks', () => {
  it('gives pieces that are the text when joined, however much has arrived', () => {
    for (let length = 0; length <= TEXT.length; length++) {
      const text = TEXT.slice(0, length);
      const { committed, tail } = splitChunks(text);
      expect(committed.join('') + tail).toBe(text);
    }
  });

  it('never changes a piece that it gave before', () => {
    let before: string[] = [];
    for (let length = 0; length <= TEXT.length; length++) {
      const { committed } = splitChunks(TEXT.slice(0, length));
      expect(committed.slice(0, before.length)).toEqual(before);
      before = committed;
    }
    expect(before.length).toBeGreaterThan(3);
  });

  it('cuts at a blank line when the next paragraph has begun', () => {
    expect(splitChunks('a\n\n')).toEqual({ committed: [], tail: 'a\n\n' });
    expect(splitChunks('a\n\nb')).toEqual({ committed: ['a\n\n'], tail: 'b' });
  });

  it.each([
    ['a code fence', '```\na\n\nb'],
    ['a longer fence with a shorter one inside', '````\n```\n\nb'],
    ['a fence of tildes with backticks inside', '~~~\n```\n\nb'],
    ['a formula', '$$\na\n\nb'],
    ['a list item with paragraphs', '- a\n\n  b']
  ])('does not cut in %s', (_, text) => {
    expect(splitChunks(text).committed).toEqual([]);
  });
});
