import { nullTranslator } from '@jupyterlab/translation';
import { ChangeLog, parseStaleGroups } from '../live/staleTurns';
import { whyStale } from '../render/staleMark';

const trans = nullTranslator.load('msgbook');
const group = {
  turns: ['b', 'c'],
  changed: ['a', 'b'],
  maybeSystem: false,
  sure: [] as string[],
  isMoved: false
};
const ids = ['a', 'b', 'c'];
const numberOf = (id: string) => ids.indexOf(id) + 1;
const isExcluded = () => false;

function why(
  cellId: string,
  log: ChangeLog,
  range = ['a', 'b'],
  maybeSystem = false
): string {
  const cause = log.causeOf({ ...group, maybeSystem }, range);
  return whyStale({ cellId, cause, numberOf, isExcluded }, trans);
}

describe('the words of a stale turn', () => {
  it('name the cell that was changed after the answer', () => {
    const log = new ChangeLog();
    log.noteOutputs('a');
    log.noteOutputs('b');
    log.noteCell('a');
    expect(why('b', log)).toContain('cell 1 has changed');
    expect(why('c', log)).toContain('cell 1 has changed');
  });

  it('name the prompt itself, and its cell to the turns below', () => {
    const log = new ChangeLog();
    log.noteOutputs('a');
    log.noteOutputs('b');
    log.noteCell('b');
    expect(why('b', log)).toContain('its prompt has changed');
    expect(why('c', log)).toContain('cell 2 has changed');
  });

  it('name a cell that was run again', () => {
    const log = new ChangeLog();
    log.noteOutputs('b');
    log.noteOutputs('a');
    expect(why('b', log)).toContain('cell 1 has changed');
  });

  it('name several cells', () => {
    const log = new ChangeLog();
    log.noteCell('a');
    log.noteCell('b');
    expect(why('c', log)).toContain('cells 1, 2 have changed');
  });

  it('say that the cell was excluded', () => {
    const log = new ChangeLog();
    log.noteCell('a');
    const cause = log.causeOf(group, ['a', 'b']);
    const isOut = (id: string) => id === 'a';
    const mark = { cellId: 'b', cause, numberOf, isExcluded: isOut };
    expect(whyStale(mark, trans)).toContain('cell 1 was excluded');
    log.noteCell('b');
    const both = { ...mark, cause: log.causeOf(group, ['a', 'b']) };
    expect(whyStale(both, trans)).toContain('cells 1, 2 have changed');
  });

  it('say that a cell was deleted, if none was changed', () => {
    const log = new ChangeLog();
    log.noteOutputs('b');
    log.notePlaces();
    expect(why('b', log)).toContain('moved or deleted');
  });

  it('say so at the first cell that is left, too', () => {
    const log = new ChangeLog();
    log.notePlaces();
    const first = { ...group, turns: ['a'], changed: ['a'] };
    const cause = log.causeOf(first, ['a']);
    const words = whyStale({ cellId: 'a', cause, numberOf, isExcluded }, trans);
    expect(words).toContain('moved or deleted');
  });

  it('name the range where nothing was seen to change', () => {
    expect(why('c', new ChangeLog())).toContain('from 1 to 2');
    expect(why('c', new ChangeLog(), ['a', 'b'], true)).toContain('the agent');
  });

  it('say what is saved of a change that was not seen', () => {
    const opened = (saved: object, isOut = false) => {
      const cause = new ChangeLog().causeOf({ ...group, ...saved }, ['a', 'b']);
      const mark = { cellId: 'b', cause, numberOf, isExcluded: () => isOut };
      return whyStale(mark, trans);
    };
    expect(opened({ sure: ['a'] }, true)).toContain('cell 1 was excluded');
    expect(opened({ sure: ['a'] })).toContain('cell 1 has changed');
    expect(opened({ isMoved: true })).toContain('added, deleted or excluded');
  });
});

describe('the words where nothing was seen to change', () => {
  const between = (first: string, last: string, cellId: string) =>
    whyStale(
      {
        cellId,
        cause: { kind: 'between', first, last, maybeSystem: false },
        numberOf,
        isExcluded
      },
      trans
    );

  it('name no cell that is gone', () => {
    expect(between('gone', 'b', 'c')).toContain('cell 2 has changed');
    expect(between('gone', 'a', 'a')).toContain('its prompt has changed.');
  });

  it('name one cell once', () => {
    expect(between('b', 'b', 'c')).toContain('cell 2 has changed.');
  });

  it('say nothing of cells above where none was', () => {
    const log = new ChangeLog();
    log.notePlaces(['a']);
    const first = { ...group, turns: ['a'], changed: ['a'] };
    const cause = log.causeOf(first, ['a']);
    const replaced = whyStale(
      { cellId: 'a', cause, numberOf, isExcluded },
      trans
    );
    for (const words of [between('a', 'a', 'a'), replaced]) {
      expect(words).toBe('This answer is stale: its prompt has changed.');
    }
  });
});

describe('an answer to stale.list', () => {
  it('is read', () => {
    const told = { turns: ['b', 'c'], changed: ['a', 'b'] };
    expect(parseStaleGroups({ groups: [told] })).toEqual([group]);
  });

  it.each([null, 1, {}, { groups: 1 }, { groups: [1, {}, { turns: [1] }] }])(
    'of another shape names nothing: %j',
    answer => {
      expect(parseStaleGroups(answer)).toEqual([]);
    }
  );
});
