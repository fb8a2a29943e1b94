import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import historyCases from '../../../tests/format/syntax/fixtures/history_values.json';
import { keepMarks } from '../live/notebookCells';
import { hideYjsWarnings } from './quietYjs';

let notebook: NotebookModel;

/** A cell with one display for each value of `history`. */
function cell(
  histories: (JSONValue | undefined)[],
  ours?: JSONObject
): ICodeCellModel {
  const outputs = histories.map(history => ({
    output_type: 'display_data',
    data: { 'text/plain': 'x' },
    metadata: history === undefined ? {} : { msgbook: { history } }
  }));
  const metadata: JSONObject = ours === undefined ? {} : { msgbook: ours };
  const json = { cell_type: 'code', source: 'x', outputs, metadata };
  notebook.sharedModel.insertCells(0, [json]);
  return notebook.cells.get(0) as ICodeCellModel;
}

hideYjsWarnings();

beforeEach(() => {
  notebook = new NotebookModel();
});

afterEach(() => {
  notebook.dispose();
});

describe('keepMarks', () => {
  it('keeps that displays were hidden, beside other marks', () => {
    const marked = cell([undefined, 'none', 'include', 'hide', 'summary'], {
      agent: 'a',
      output_history: { 7: 'none' }
    });
    keepMarks(marked);
    expect(marked.getMetadata('msgbook')).toEqual({
      agent: 'a',
      output_history: {
        1: { history: 'none', sha256: '' },
        3: { history: 'hide', sha256: '' },
        4: { history: 'summary', sha256: '' },
        7: 'none'
      }
    });
  });

  it.each(historyCases as [JSONValue, boolean][])(
    'keeps a mark for a display that is not sent whole, and for no other: %j',
    (history, restricts) => {
      const marked = cell([undefined, history]);
      keepMarks(marked);
      expect(marked.getMetadata('msgbook') !== undefined).toBe(restricts);
    }
  );
});
