import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import {
  type CellChange,
  parseChangeRequest,
  applyChange
} from '../cells/changesByTools';
import { handle } from '../comm/handlers';
import { hideYjsWarnings } from './quietYjs';

hideYjsWarnings();

/** A saved notebook: code with an output, a note, and the message that runs. */
function notebook(): NotebookModel {
  const model = new NotebookModel();
  model.sharedModel.insertCells(0, [
    {
      id: 'code',
      cell_type: 'code',
      source: '%%python\n1/0',
      execution_count: 1,
      outputs: [{ output_type: 'stream', name: 'stdout', text: 'old' }]
    },
    { id: 'note', cell_type: 'markdown', source: 'A note' },
    { id: 'run', cell_type: 'code', source: 'Mend it' }
  ]);
  model.sharedModel.clearUndoHistory();
  return model;
}

function sources(model: NotebookModel): string[] {
  return Array.from(model.cells).map(cell => cell.sharedModel.getSource());
}

function apply(model: NotebookModel, change: CellChange): string {
  return applyChange(model, { requestId: 'r', cellId: 'run', change });
}

const EDIT = {
  kind: 'edit',
  cellId: 'code',
  before: '%%python\n1/0',
  after: '%%python\n1/1\n2'
} as const;

const INSERT = {
  kind: 'insert',
  after: 'code',
  cell: { id: 'new', cell_type: 'code', source: '%%python\nx' }
} as const;

const OUTPUTS = {
  kind: 'outputs',
  cellId: 'code',
  before: '%%python\n1/0',
  outputs: [{ output_type: 'stream', name: 'stdout', text: 'new' }],
  executionCount: 7
} as const;

it('a change of a cell is one step that is undone and done again', () => {
  const model = notebook();
  const before = sources(model);

  expect(apply(model, EDIT)).toBe('');
  expect(sources(model)).toEqual([EDIT.after, 'A note', 'Mend it']);
  model.sharedModel.undo();
  expect(sources(model)).toEqual(before);
  expect(model.sharedModel.canUndo()).toBe(false);
  model.sharedModel.redo();
  expect(sources(model)[0]).toBe(EDIT.after);
});

it.each([
  ['', ''],
  ['same', 'same'],
  ['aaa', 'aa'],
  ['aa', 'aaa'],
  ['one two', 'one 2 two'],
  ['\u{1F600}', '\u{1F601}'],
  ['a', '']
])('the source %j becomes %j', (before, after) => {
  const model = notebook();
  model.cells.get(0).sharedModel.setSource(before);
  apply(model, { ...EDIT, before, after });
  expect(sources(model)[0]).toBe(after);
});

it('two changes are two steps', () => {
  const model = notebook();
  apply(model, EDIT);
  apply(model, { ...EDIT, before: EDIT.after, after: 'third' });
  model.sharedModel.undo();
  expect(sources(model)[0]).toBe(EDIT.after);
});

it('a cell that was edited by hand meanwhile is left as it is', () => {
  const model = notebook();
  model.cells.get(0).sharedModel.setSource('%%python\nmine');
  expect(apply(model, EDIT)).toBe('changed');
  expect(apply(model, OUTPUTS)).toBe('changed');
  expect(sources(model)[0]).toBe('%%python\nmine');
});

it.each([
  ['a cell that is not there', { ...EDIT, cellId: 'gone' }, 'missing'],
  [
    'the cell that runs',
    { ...EDIT, cellId: 'run', before: 'Mend it' },
    'missing'
  ],
  ['a place that is not there', { ...INSERT, after: 'gone' }, 'missing'],
  [
    'an id that is taken',
    { ...INSERT, cell: { ...INSERT.cell, id: 'note' } },
    'missing'
  ],
  [
    'outputs of a note',
    { ...OUTPUTS, cellId: 'note', before: 'A note' },
    'missing'
  ]
] as const)('%s changes nothing', (_, change, problem) => {
  const model = notebook();
  const before = model.toJSON();
  expect(apply(model, change)).toBe(problem);
  expect(model.toJSON()).toEqual(before);
});

it('a notebook without the running cell is another one', () => {
  const model = notebook();
  model.sharedModel.deleteCell(2);
  expect(apply(model, EDIT)).toBe('absent');
});

it('neither a notebook nor a cell that is locked is changed', () => {
  const model = notebook();
  model.cells.get(0).setMetadata('editable', false);
  expect(apply(model, EDIT)).toBe('locked');
  model.readOnly = true;
  expect(apply(model, INSERT)).toBe('locked');
});

it.each([
  ['code', 1],
  [null, 0],
  ['run', 3]
] as const)('a cell below %s is inserted as one step', (after, index) => {
  const model = notebook();
  expect(apply(model, { ...INSERT, after })).toBe('');
  expect(model.cells.get(index).id).toBe('new');
  expect(model.cells.length).toBe(4);
  model.sharedModel.undo();
  expect(model.cells.length).toBe(3);
});

it('a changed cell that was run is marked as changed since its run no more', () => {
  const model = notebook();
  const cell = model.cells.get(0) as ICodeCellModel;
  expect(apply(model, EDIT)).toBe('');
  expect(cell.isDirty).toBe(true);
  expect(apply(model, { ...OUTPUTS, before: EDIT.after })).toBe('');
  expect(cell.isDirty).toBe(false);
  cell.sharedModel.setSource('x = 1');
  expect(cell.isDirty).toBe(true);
  cell.sharedModel.setSource(EDIT.after);
  expect(cell.isDirty).toBe(false);
});

it('is marked no more on another page of a shared notebook, either', () => {
  const model = notebook();
  const { sharedModel } = model;
  const other = new NotebookModel({ sharedModel });
  const cell = other.cells.get(0) as ICodeCellModel;
  apply(model, EDIT);
  expect(cell.isDirty).toBe(true);
  apply(model, { ...OUTPUTS, before: EDIT.after });
  expect(cell.isDirty).toBe(false);
  expect(cell.executionState).toBe('idle');
  other.dispose();
});

it('the outputs of a run take the place of the old ones', () => {
  const model = notebook();
  const cell = model.cells.get(0) as ICodeCellModel;
  expect(apply(model, OUTPUTS)).toBe('');
  expect(cell.outputs.toJSON()).toEqual(OUTPUTS.outputs);
  expect(cell.executionCount).toBe(7);
  expect(model.sharedModel.canUndo()).toBe(false);
});

describe('parseChangeRequest', () => {
  const base = { type: 'cells.change', request_id: 'r', cell_id: 'run' };
  const edit = { kind: 'edit', cell_id: 'a', before: 'x', after: 'y' };
  const parse = new Map([['cells.change', parseChangeRequest]]);

  it('takes each kind of change', () => {
    const cell = { id: 'n', cell_type: 'markdown', source: 's' };
    const outputs = { kind: 'outputs', cell_id: 'a', before: 'x', outputs: [] };
    const found = [
      edit,
      { kind: 'insert', after: null, cell },
      { ...outputs, execution_count: 3 }
    ].map(change => handle(parse, { ...base, change })?.change);
    expect(found).toEqual([
      { kind: 'edit', cellId: 'a', before: 'x', after: 'y' },
      { kind: 'insert', after: null, cell },
      {
        kind: 'outputs',
        cellId: 'a',
        before: 'x',
        outputs: [],
        executionCount: 3
      }
    ]);
  });

  it.each([
    {},
    { kind: 'delete', cell_id: 'a' },
    { ...edit, after: 1 },
    { ...edit, cell_id: null },
    { kind: 'insert', after: null, cell: { id: 'n', source: 's' } },
    { kind: 'insert', cell: { id: 'n', cell_type: 'code', source: 's' } },
    { kind: 'outputs', cell_id: 'a', before: 'x', outputs: [null] },
    { kind: 'outputs', cell_id: 'a', before: 'x', outputs: {} }
  ])('ignores %j', change => {
    expect(handle(parse, { ...base, change })).toBeNull();
  });
});
