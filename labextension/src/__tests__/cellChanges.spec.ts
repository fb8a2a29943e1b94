import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import type { JSONObject } from '@lumino/coreutils';

import {
  factsOf,
  insertRetry,
  setAgent,
  setHistory,
  setNotebook
} from '../cells/changes';
import { keepAgent } from '../live/documentChanges';
import { hideYjsWarnings } from './quietYjs';

hideYjsWarnings();

/** A saved notebook with prompts; the first one has metadata. */
function notebook(ours: JSONObject, ...sources: string[]): NotebookModel {
  const model = new NotebookModel();
  const cells = sources.map((source, index) => ({
    id: `c${index}`,
    cell_type: 'code',
    source,
    metadata: index === 0 ? { tags: ['x'], msgbook: ours } : {}
  }));
  model.sharedModel.insertCells(0, cells);
  model.sharedModel.clearUndoHistory();
  return model;
}

function state(model: NotebookModel): unknown {
  const { cells, metadata } = model.sharedModel.toJSON();
  return [metadata.msgbook, cells.map(cell => [cell.source, cell.metadata])];
}

/** What each change does to a notebook, from which one undo takes it back. */
const CHANGES: [string, (model: NotebookModel) => void][] = [
  [
    'the history',
    m => setHistory(m, [m.cells.get(0), m.cells.get(1)], 'exclude')
  ],
  ['the agent', m => setAgent(m, m.cells.get(0), 'critic')],
  ['no agent', m => setAgent(m, m.cells.get(0), null)],
  ['a retry', m => void insertRetry(m, 0, { agent: 'critic' })],
  ['the notebook', m => setNotebook(m, { frontmatter: 'a: 1\n', model: 'm' })]
];

it('a change is undone after the first run, which sets the metadata again', () => {
  const model = notebook({ agent: 'a', history: 'exclude' }, 'One');
  const cell = model.cells.get(0) as ICodeCellModel;
  const before = cell.getMetadata('msgbook') as JSONObject;
  expect(cell.trusted).toBe(false);
  setAgent(model, cell, 'critic');
  cell.clearExecution();
  cell.executionCount = 1;
  expect(cell.trusted).toBe(true);
  model.sharedModel.undo();
  expect(cell.getMetadata('msgbook')).toEqual(before);
  expect(cell.trusted).toBe(true);
  model.sharedModel.redo();
  expect(cell.getMetadata('msgbook')).toEqual({ ...before, agent: 'critic' });
  model.sharedModel.undo();
  expect(cell.getMetadata('msgbook')).toEqual(before);
});

it('a cell whose footnote cannot be read is sent only if a person says so', () => {
  const model = notebook({ text: { unread: '> [^a]: [raw]' } }, 'One', 'Two');
  const [unread, other] = [model.cells.get(0), model.cells.get(1)];
  setHistory(model, [unread, other], 'include');
  expect(unread.getMetadata('msgbook')).toMatchObject({ history: 'include' });
  expect(factsOf(unread, 'message').unread).toBeUndefined();
  expect(other.getMetadata('msgbook')).toBeUndefined();
});

it('what a turn has added to metadata since is not lost by an undo', () => {
  const model = notebook({}, 'One', 'Two');
  setHistory(model, [model.cells.get(0)], 'summary');
  const cell = model.cells.get(0);
  const ours = cell.getMetadata('msgbook') as JSONObject;
  cell.setMetadata('msgbook', { ...ours, summary: { text: 'One.' } });
  const after = state(model);
  model.sharedModel.undo();
  expect(state(model)).toEqual(after);
});

describe.each([
  ['metadata', 'One'],
  ['a line', '%%msg agent=line history=summary\nOne']
])('with %s', (_, first) => {
  it.each(CHANGES)('%s is changed and undone at once', (__, change) => {
    const model = notebook({ agent: 'a', note: 1 }, first, 'Two');
    model.sharedModel.cells[1].setSource('Two, edited');
    const before = state(model);
    change(model);
    expect(state(model)).not.toEqual(before);
    model.sharedModel.undo();
    expect(state(model)).toEqual(before);
    model.sharedModel.redo();
    expect(state(model)).not.toEqual(before);
  });

  it('the change is where the model finds it, and keeps all other keys', () => {
    const model = notebook({ agent: 'a', note: 1 }, first);
    const cell = model.cells.get(0);
    setAgent(model, cell, 'my critic');
    setHistory(model, [cell], 'exclude');
    expect(factsOf(cell, 'message')).toMatchObject({
      agent: 'my critic',
      history: 'exclude'
    });
    setAgent(model, cell, null);
    setHistory(model, [cell], 'include');
    expect(factsOf(cell, 'message')).toEqual({
      kind: 'prompt',
      history: 'include'
    });
    // A line that a person wrote stays: what follows it could be code.
    const kept = first.startsWith('%%msg') ? '%%msg\nOne' : 'One';
    expect(cell.sharedModel.getSource()).toBe(kept);
    expect(cell.metadata).toEqual({ tags: ['x'], msgbook: { note: 1 } });
  });
});

it('an untouched notebook gets no empty metadata', () => {
  const model = notebook({}, 'One', 'Two');
  setHistory(model, [model.cells.get(1)], 'include');
  expect(model.cells.get(1).metadata).toEqual({});
});

it('a retry is a copy with another agent, and the first one is no longer sent', () => {
  const ours = { agent: 'a', model: 'm', summary: { text: 'x', source: 'y' } };
  const model = notebook(ours, '%%msg model=n max_steps=2\nOne', 'Two');
  expect(insertRetry(model, 0, { agent: 'critic' })).toBe(1);
  const [first, copy, last] = Array.from(model.cells);
  expect(factsOf(first, 'message').history).toBe('exclude');
  expect(first.getMetadata('msgbook')).toMatchObject(ours);
  expect(copy.sharedModel.getSource()).toBe('%%msg max_steps=2\nOne');
  expect(copy.metadata).toEqual({ msgbook: { agent: 'critic' } });
  expect(copy.id).not.toBe(first.id);
  expect(last.sharedModel.getSource()).toBe('Two');
});

it('a retry with another model is a copy that the same agent answers', () => {
  const ours = { agent: 'a', model: 'm', summary: { text: 'x', source: 'y' } };
  const model = notebook(ours, '%%msg model=n agent=b\nOne');
  insertRetry(model, 0, { model: 'other' });
  const [first, copy] = Array.from(model.cells);
  expect(factsOf(first, 'message').history).toBe('exclude');
  expect(copy.sharedModel.getSource()).toBe('%%msg agent=b\nOne');
  expect(copy.metadata).toEqual({ msgbook: { agent: 'a', model: 'other' } });
});

it('undo of a choice does not take back what a turn saved since', () => {
  const model = notebook({}, 'One');
  setNotebook(model, { model: 'm' });
  keepAgent(model, { uuid: 'u' });
  model.sharedModel.undo();
  expect(model.getMetadata('msgbook')).toMatchObject({
    agent_metadata: { uuid: 'u' }
  });
});
