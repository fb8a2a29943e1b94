import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import type { YCodeCell } from '@jupyter/ydoc';
import { setAgent } from '../cells/changes';
import { cellSource } from '../comm/cellMessages';
import { hideYjsWarnings } from './quietYjs';

hideYjsWarnings();

function notebook(): NotebookModel {
  const model = new NotebookModel();
  const text = { output_type: 'stream', name: 'stdout', text: 'one' };
  model.sharedModel.insertCells(0, [
    { id: 'a', cell_type: 'code', source: 'A', outputs: [text] },
    { id: 'b', cell_type: 'markdown', source: 'B' }
  ]);
  model.sharedModel.clearUndoHistory();
  return model;
}

const shown = { output_type: 'display_data', data: {}, metadata: {} };

/** Everything that changes the JSON of the first cell. */
const CHANGES: [string, (cell: ICodeCellModel) => void][] = [
  ['its text', cell => cell.sharedModel.setSource('edited')],
  ['a letter of it', cell => cell.sharedModel.updateSource(0, 0, 'x')],
  ['its metadata', cell => cell.setMetadata('msgbook', { role: 'system' })],
  ['a part of them', cell => cell.deleteMetadata('trusted')],
  ['its count', cell => (cell.executionCount = 5)],
  ['a new output', cell => cell.outputs.add(shown)],
  ['an output in place', cell => cell.outputs.set(0, shown)],
  [
    'more of a stream',
    cell =>
      cell.outputs.add({ output_type: 'stream', name: 'stdout', text: 'two' })
  ],
  [
    'an output that another page writes',
    cell => (cell.sharedModel as YCodeCell).setOutputs([shown])
  ],
  ['outputs that are cleared', cell => cell.outputs.clear()],
  ['a run that begins', cell => cell.clearExecution()]
];

it.each(CHANGES)('%s gives a cell another state', (_, change) => {
  const model = notebook();
  const cell = model.cells.get(0) as ICodeCellModel;
  cell.setMetadata('trusted', true);
  const source = cellSource(cell);
  const before = [source.state, JSON.stringify(source.toJSON())];
  change(cell);
  expect(JSON.stringify(source.toJSON())).not.toBe(before[1]);
  expect(source.state).not.toBe(before[0]);
});

it('each change gives another one, also those that are undone', () => {
  const model = notebook();
  const source = cellSource(model.cells.get(0));
  const states = new Set([source.state]);
  setAgent(model, model.cells.get(0), 'critic');
  states.add(source.state);
  model.sharedModel.undo();
  states.add(source.state);
  model.sharedModel.redo();
  states.add(source.state);
  expect(states.size).toBe(4);
});

it('a cell that nobody changes keeps its state, whoever looks at it', () => {
  const model = notebook();
  const [a, b] = Array.from(model.cells);
  const before = cellSource(b).state;
  a.sharedModel.setSource('edited');
  (a as ICodeCellModel).outputs.add(shown);
  b.toJSON();
  expect(cellSource(b).state).toBe(before);
});
