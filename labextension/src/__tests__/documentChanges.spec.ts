import { handle } from '../comm/handlers';
import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import type { JSONObject } from '@lumino/coreutils';
import { parseAgentKeep, parseHistoryMark } from '../comm/turnMessages';
import {
  keepAgent,
  keepMacros,
  keepSummaries,
  markHistory
} from '../live/documentChanges';
import { hideYjsWarnings } from './quietYjs';

/** A notebook with the cells `a` and `b`, saved. */
function notebook(ours?: JSONObject): NotebookModel {
  const model = new NotebookModel();
  const others = { tags: ['x'] };
  const metadata = ours === undefined ? others : { ...others, msgbook: ours };
  const cells = ['a', 'b'].map(id => ({ id, cell_type: 'code', metadata }));
  model.sharedModel.insertCells(0, cells);
  model.sharedModel.clearUndoHistory();
  model.dirty = false;
  return model;
}

function ours(model: NotebookModel, cell = 0): unknown {
  return model.cells.get(cell).getMetadata('msgbook');
}

hideYjsWarnings();

describe('parseHistoryMark', () => {
  it.each(['include', 'exclude', 'summary'])('takes %s', history => {
    const mark = parseHistoryMark({
      type: 'cells.mark',
      cells: ['a', 'b'],
      history
    });
    expect(mark).toEqual({
      cells: new Set(['a', 'b']),
      history,
      writer: null
    });
  });

  it.each([
    null,
    [],
    { type: 'cells.get', cells: ['a'], history: 'summary' },
    { type: 'cells.mark', cells: 'a', history: 'summary' },
    { type: 'cells.mark', cells: ['a', 1], history: 'summary' },
    { type: 'cells.mark', cells: ['a'] },
    { type: 'cells.mark', cells: ['a'], history: 'all' },
    { type: 'cells.mark', cells: ['a'], history: ['summary'] }
  ])('ignores %j', data => {
    const handlers = new Map([['cells.mark', parseHistoryMark]]);
    expect(handle(handlers, data) ?? null).toBeNull();
  });
});

describe('markHistory', () => {
  const mark = {
    cells: new Set(['a', 'b', 'gone']),
    history: 'summary',
    writer: null
  } as const;

  it('sets the history of the cells and keeps all other keys', () => {
    const model = notebook({ agent: 'x', history: 'include' });
    markHistory(model, mark);
    for (const cell of [0, 1]) {
      expect(model.cells.get(cell).metadata).toEqual({
        tags: ['x'],
        msgbook: { agent: 'x', history: 'summary' }
      });
    }
    expect(model.dirty).toBe(true);
  });

  it('is one change, undone by itself', () => {
    const model = notebook();
    model.sharedModel.insertCell(2, { cell_type: 'raw' });
    markHistory(model, mark);
    model.sharedModel.insertCell(3, { cell_type: 'raw' });

    model.sharedModel.undo();
    expect([ours(model, 0), ours(model, 1)]).toEqual([
      { history: 'summary' },
      { history: 'summary' }
    ]);
    expect(model.cells.length).toBe(3);
    model.sharedModel.undo();
    expect([ours(model, 0), ours(model, 1)]).toEqual([undefined, undefined]);
    expect(model.cells.length).toBe(3);
    model.sharedModel.redo();
    expect(ours(model)).toEqual({ history: 'summary' });
  });

  it('changes nothing where it is so already', () => {
    const model = notebook({ history: 'summary' });
    markHistory(model, mark);
    expect(model.dirty).toBe(false);
    expect(model.sharedModel.canUndo()).toBe(false);
  });
});

describe('keepSummaries', () => {
  const made = { text: 'They talked.', source: 'sha256:1' };

  function turn(summaries: unknown): JSONObject {
    const context = { summaries } as JSONObject;
    return { version: 1, status: 'done', blocks: [], context };
  }

  it('writes what a turn had made of whole cells, once', () => {
    const model = notebook({ history: 'summary' });
    const summaries = {
      a: { ...made, model: 'm' },
      gone: made,
      'b/call_1': made
    };
    keepSummaries(model, turn(summaries));
    expect(ours(model, 0)).toEqual({ history: 'summary', summary: made });
    expect(ours(model, 1)).toEqual({ history: 'summary' });
    expect(model.dirty).toBe(true);
    model.dirty = false;
    keepSummaries(model, turn(summaries));
    expect(model.dirty).toBe(false);
    expect(model.sharedModel.canUndo()).toBe(false);
  });

  it.each([
    ['was edited', { text: 'We talked.', source: 'sha256:1' }],
    ['was emptied', { text: '', source: 'sha256:1' }],
    ['is a person’s own', { text: 'We talked.' }],
    ['has another shape', 'We talked.']
  ])('leaves a summary alone that %s', (_, summary) => {
    const model = notebook({ summary });
    keepSummaries(model, turn({ a: made }));
    expect(ours(model)).toEqual({ summary });
    expect(model.dirty).toBe(false);
  });

  it('replaces one of another source, edited or not', () => {
    const model = notebook({ summary: { text: 'x', source: 'sha256:0' } });
    keepSummaries(model, turn({ a: made }));
    expect(ours(model)).toEqual({ summary: made });
  });

  it.each([
    undefined,
    null,
    'a',
    [made],
    { a: null },
    { a: 'They talked.' },
    { a: { text: 'They talked.' } },
    { a: { text: ['They talked.'], source: 'sha256:1' } },
    { a: { text: 'They talked.', source: 1 } }
  ])('ignores %j', summaries => {
    const model = notebook();
    keepSummaries(model, turn(summaries));
    expect(ours(model)).toBeUndefined();
    expect(model.dirty).toBe(false);
  });

  it('does not take the place of metadata that is not ours', () => {
    const model = notebook();
    model.cells.get(0).setMetadata('msgbook', 'a word');
    keepSummaries(model, turn({ a: made }));
    expect(ours(model)).toBe('a word');
  });
});

describe('keepMacros', () => {
  const noted = (model: NotebookModel): unknown => model.getMetadata('msgbook');

  function turn(macros: unknown): JSONObject {
    const context = { macros } as JSONObject;
    return { version: 1, status: 'done', blocks: [], context };
  }

  it('notes what was in force, once, and beside what else is there', () => {
    const model = notebook();
    model.setMetadata('msgbook', { rules: ['a.md'], macros: { OLD: '1' } });
    keepMacros(model, turn({ NEW: '2' }));
    expect(noted(model)).toEqual({ rules: ['a.md'], macros: { NEW: '2' } });
    model.dirty = false;
    keepMacros(model, turn({ NEW: '2' }));
    expect(model.dirty).toBe(false);
  });

  it('takes away what was removed, and leaves nothing empty', () => {
    const model = notebook();
    model.setMetadata('msgbook', { macros: { OLD: '1' } });
    keepMacros(model, turn({}));
    expect(noted(model)).toBeUndefined();
  });

  it.each([undefined, null, 'X', ['X'], { X: 1 }])('ignores %j', macros => {
    const model = notebook();
    keepMacros(model, turn(macros));
    expect(noted(model)).toBeUndefined();
    expect(model.dirty).toBe(false);
  });
});

describe('parseAgentKeep', () => {
  it('takes the metadata, the cell and the page that writes', () => {
    const keep = parseAgentKeep({
      type: 'agent.keep',
      cell_id: 'a',
      agent_metadata: { uuid: 'u' },
      writer: 'w'
    });
    expect(keep).toEqual({
      cellId: 'a',
      agentMetadata: { uuid: 'u' },
      writer: 'w'
    });
  });

  it.each([
    null,
    [],
    { type: 'cells.mark', cell_id: 'a', agent_metadata: {} },
    { type: 'agent.keep', cell_id: null, agent_metadata: {} },
    { type: 'agent.keep', cell_id: 'a' },
    { type: 'agent.keep', cell_id: 'a', agent_metadata: 'u' },
    { type: 'agent.keep', cell_id: 'a', agent_metadata: ['u'] }
  ])('ignores %j', data => {
    const handlers = new Map([['agent.keep', parseAgentKeep]]);
    expect(handle(handlers, data) ?? null).toBeNull();
  });
});

describe('keepAgent', () => {
  it('sets the metadata of the notebook and keeps all other keys', () => {
    const model = notebook();
    model.setMetadata('msgbook', { macros: { A: 'b' }, agent_metadata: 1 });
    model.setMetadata('x', 1);
    keepAgent(model, { uuid: 'u' });
    expect(model.getMetadata('msgbook')).toEqual({
      macros: { A: 'b' },
      agent_metadata: { uuid: 'u' }
    });
    expect(model.getMetadata('x')).toBe(1);
    expect(model.dirty).toBe(true);
    expect(model.sharedModel.canUndo()).toBe(false);
  });

  it('leaves metadata of another shape alone', () => {
    const model = notebook();
    model.setMetadata('msgbook', 'mine');
    keepAgent(model, { uuid: 'u' });
    expect(model.getMetadata('msgbook')).toBe('mine');
  });
});
