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
  return { id, toJSON };
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
    expect(parseCellsQuestion(data)).toBeNull();
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

  it.each(['', 'another', null])(
    'sends all where the kernel has %j, not the last answer',
    known => {
      const a = cell('a', 'as it was');
      ask(null, a);
      expect(ask(known, a).cells).toEqual(whole(a));
    }
  );

  it('is not built upon an answer before the last', () => {
    const a = cell('a', 'as it was');
    const { revision } = ask(null, a);
    ask(null, a);
    expect(ask(revision!, a).cells).toEqual(whole(a));
  });

  it('sees what was changed in place', () => {
    const outputs: nbformat.IOutput[] = [];
    const a = cell('a', 'run');
    a.toJSON.mockImplementation(() => ({
      cell_type: 'code',
      source: 'run',
      metadata: {},
      outputs,
      execution_count: null
    }));
    const { revision } = ask(null, a);
    outputs.push({ output_type: 'stream', name: 'stdout', text: 'more' });
    expect(ask(revision!, a).cells).toEqual(whole(a));
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
    expect(ask(revision!, a).cells).toEqual([unchanged('a')]);
  });

  it('sends all once it has forgotten the last one', () => {
    const a = cell('a', 'as it was');
    const { revision } = ask(null, a);
    reporter.forget();
    expect(ask(revision!, a).cells).toEqual(whole(a));
  });
});
