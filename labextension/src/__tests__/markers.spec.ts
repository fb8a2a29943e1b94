import { cellAtLine, cellLines } from '../files/markers';

const TEXT = '---\na: 1\n---\n\n# %% [^a]\n\nHi\n\n# %%% x\n\n## %%[^b]\n\nYou';

describe('the markers of a message file', () => {
  it('begin a cell unless they begin an output', () => {
    expect(cellLines(TEXT)).toEqual([4, 10]);
  });

  it('tell which cell a line belongs to', () => {
    expect([0, 4, 9, 10, 12].map(line => cellAtLine(TEXT, line))).toEqual([
      0, 0, 0, 1, 1
    ]);
  });
});
