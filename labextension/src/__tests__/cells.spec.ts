import { handle } from '../comm/handlers';
import type * as nbformat from '@jupyterlab/nbformat';

import { CellsReporter, parseCellsQuestion } from '../comm/cellMessages';

const metadata = { kernelspec: { name: 'msgbook', display_name: 'Chat' } };

function cell(id: string, source: string | string[]) {
  const toJSON = jest.fn<nbformat.ICell, []>(() => ({
    cell_type: 'code',
    source,
    metadata: {},
    outputs: [],
    execution_count: null
  }));
  return { id, state: {}, toJSON };
}

describe('parseCellsQuestion', () => {
  it.each([
    null,
    'cells.get',
    {},
    { type: 'turn.get', request_id: 'r', cell_id: 'a' },
    { type: 'cells.get', request_id: 'r' },
    { type: 'cells.get', request_id: 1, cell_id: 'a' }
  ])('ignores %j', data => {
    const handlers = new Map([['cells.get', parseCellsQuestion]]);
    expect(handle(handlers, data) ?? null).toBeNull();
  });
});

describe('CellsReporter', () => {
  const question = { requestId: 'r', cellId: 'b', known: null };
  let reporter: CellsReporter;

  beforeEach(() => {
    reporter = new CellsReporter();
  });

  it('gives the cells through the running one, with ids and whole sources', () => {
    const below = cell('c', 'below');
    const answer = reporter.answer(
      question,
      [cell('a', ['one\n', 'two']), cell('b', 'run'), below],
      () => metadata
    );
    expect(answer.request_id).toBe('r');
    expect(answer.metadata).toEqual(metadata);
    expect(answer.cells).toMatchObject([
      { id: 'a', source: 'one\ntwo' },
      { id: 'b', source: 'run' }
    ]);
    expect(below.toJSON).not.toHaveBeenCalled();
  });

  it('gives all cells without outputs when no cell runs', () => {
    const all = parseCellsQuestion({
      type: 'cells.get',
      request_id: 'r',
      cell_id: null
    });
    const answer = reporter.answer(
      all!,
      [cell('a', 'one'), cell('b', 'two')],
      () => metadata
    );
    const bare = { cell_type: 'code', metadata: {} };
    expect(answer.cells).toEqual([
      { ...bare, id: 'a', source: 'one' },
      { ...bare, id: 'b', source: 'two' }
    ]);
  });

  it('says that the cell is not on this page', () => {
    expect(reporter.answer(question, [cell('a', '')], () => metadata)).toEqual({
      type: 'cells',
      request_id: 'r',
      cells: null
    });
  });
});

describe('a later answer', () => {
  const reporter = new CellsReporter();
  const unchanged = (id: string) => ({ id, unchanged: true });

  /** Ask for the cells through the last one. */
  function ask(known: string | null, ...cells: ReturnType<typeof cell>[]) {
    const cellId = cells[cells.length - 1].id;
    return reporter.answer({ requestId: 'r', cellId, known }, cells, () => ({
      ...metadata
    }));
  }

  function whole(...cells: ReturnType<typeof cell>[]) {
    return cells.map(cell => ({ ...cell.toJSON(), id: cell.id }));
  }

  it('names the cells that are as they were, and sends the others', () => {
    const [a, b, c] = ['a', 'b', 'c'].map(id => cell(id, 'as it was'));
    const { revision } = ask(null, a, b);
    const edited = cell('b', 'edited');
    const answer = ask(revision!, c, a, edited);
    expect(answer.cells).toEqual([
      ...whole(c),
      unchanged('a'),
      ...whole(edited)
    ]);
    expect(answer.revision).not.toBe(revision);
    expect(answer.metadata).toEqual(metadata);
  });

  it('only counts the first cells that are as they were', () => {
    const all = ['a', 'b', 'c', 'd'].map(id => cell(id, 'as it was'));
    const { revision, same } = ask(null, ...all);
    expect(same).toBeUndefined();
    const edited = cell('c', 'edited');
    const answer = ask(revision!, all[0], all[1], edited, all[3]);
    expect(answer.same).toBe(2);
    expect(answer.cells).toEqual([...whole(edited), unchanged('d')]);
    const shorter = ask(answer.revision!, all[0]);
    expect(shorter).toMatchObject({ same: 1, cells: [] });
    const moved = ask(answer.revision!, all[1], all[0]);
    expect(moved.same).toBe(0);
  });

  it.each(['', 'another', null])(
    'sends all where the kernel has %j, not the last answer',
    known => {
      const a = cell('a', 'as it was');
      ask(null, a);
      expect(ask(known, a).cells).toEqual(whole(a));
    }
  );

  it('is built upon any recent answer that the kernel still has', () => {
    const [a, b] = [cell('a', 'one'), cell('b', 'two')];
    const { revision } = ask(null, a, b);
    const edited = cell('b', 'edited');
    const answers = [ask(revision!, a, edited), ask(revision!, a, edited)];
    for (const answer of answers) {
      expect(answer.cells).toEqual(whole(edited));
      expect(answer).toMatchObject({ since: revision, same: 1 });
    }
  });

  it('leaves out what an answer before the last one told below its cell', () => {
    const [a, b] = [cell('a', 'one'), cell('b', 'two')];
    const all = ask(null, a, b);
    const upper = reporter.answer(
      { requestId: 'r', cellId: 'a', known: all.revision! },
      [a, b],
      () => metadata
    );
    const answer = ask(upper.revision!, a, b);
    expect(answer).toMatchObject({ same: 1, cells: [unchanged('b')] });
  });

  it('makes the JSON of no cell that the kernel has', () => {
    const [a, b] = [cell('a', 'one'), cell('b', 'two')];
    const { revision } = ask(null, a, b);
    ask(revision!, a, b);
    ask(revision!, a, b);
    expect(a.toJSON).toHaveBeenCalledTimes(1);
    expect(b.toJSON).toHaveBeenCalledTimes(1);
  });

  it('is built upon no answer of long ago, so that few are kept', () => {
    const a = cell('a', 'as it was');
    const { revision } = ask(null, a);
    for (let more = 0; more < 20; more++) {
      ask(null, a);
    }
    const answer = ask(revision!, a);
    expect(answer.cells).toEqual(whole(a));
    expect(answer.since).toBeUndefined();
  });

  it('always sends cells that share an id', () => {
    const pair = [cell('a', 'one'), cell('a', 'two'), cell('b', 'run')];
    const { revision } = ask(null, ...pair);
    expect(ask(revision!, ...pair).cells).toEqual([
      ...whole(pair[0], pair[1]),
      unchanged('b')
    ]);
  });

  it('that has no such cell, or tells all for help, changes nothing', () => {
    const a = cell('a', 'as it was');
    const { revision } = ask(null, a);
    const question = { requestId: 'r', known: revision! };
    reporter.answer({ ...question, cellId: 'z' }, [a], () => metadata);
    reporter.answer({ ...question, cellId: null }, [a], () => metadata);
    expect(ask(revision!, a)).toMatchObject({ same: 1, cells: [] });
  });

  it('sends all once it has forgotten the last one', () => {
    const a = cell('a', 'as it was');
    const { revision } = ask(null, a);
    reporter.forget();
    expect(ask(revision!, a).cells).toEqual(whole(a));
  });
});
