import { cellAtLine, cellLines } from '../files/follow';

const TEXT = '---\na: 1\n---\n\n# %% [^a]\n\nHi\n\n# %%% x\n\n## %%[^b]\n\nYou';
const WHOLE = { hasPreamble: false };

describe('the markers of a message file', () => {
  it('begin a cell unless they begin an output', () => {
    expect(cellLines(TEXT, WHOLE)).toEqual([4, 10]);
    expect(cellLines('###### %% six\n#%% none\n##### %%', WHOLE)).toEqual([2]);
  });

  it('tell which cell a line belongs to', () => {
    const cells = [0, 4, 9, 10, 12].map(line => cellAtLine(TEXT, line, WHOLE));
    expect(cells).toEqual([0, 0, 0, 1, 1]);
    expect(cellAtLine('', 0, WHOLE)).toBeUndefined();
  });

  it('come after the text above the first, which is a cell, too', () => {
    const layout = { hasPreamble: true };
    expect(cellLines(TEXT, layout)).toEqual([0, 4, 10]);
    expect(cellAtLine(TEXT, 4, layout)).toBe(1);
  });

  it('count only below the heading of a message section', () => {
    const text = '# %% in the document\n\n## Log\n\n### %% [^a]\n\nHi';
    const layout = {
      document: '# %% in the document\n\n## Log',
      hasPreamble: false
    };
    expect(cellLines(text, layout)).toEqual([4]);
    expect(cellLines('# %% other text', layout)).toEqual([]);
  });
});
