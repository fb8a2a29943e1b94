import type * as nbformat from '@jupyterlab/nbformat';

import { answerCells, parseCellsQuestion } from '../comm/cells';

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

describe('answerCells', () => {
  const question = { requestId: 'r', cellId: 'b' };

  it('gives the cells through the running one, with ids and whole sources', () => {
    const below = cell('c', 'below');
    const answer = answerCells(
      question,
      [cell('a', ['one\n', 'two']), cell('b', 'run'), below],
      () => metadata
    );
    expect(answer.request_id).toBe('r');
    expect(answer.metadata).toEqual(metadata);
    expect(answer.cells?.map(c => [c.id, c.source])).toEqual([
      ['a', 'one\ntwo'],
      ['b', 'run']
    ]);
    expect(below.toJSON).not.toHaveBeenCalled();
  });

  it('gives all cells without outputs when no cell runs', () => {
    const all = parseCellsQuestion({
      ...{ type: 'cells.get', request_id: 'r', cell_id: null }
    });
    const answer = answerCells(
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
    expect(answerCells(question, [cell('a', '')], () => metadata)).toEqual({
      type: 'cells',
      request_id: 'r',
      cells: null
    });
  });
});
