import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import { changeKind, selectedKind } from '../cells/changeKind';
import { hideYjsWarnings } from './quietYjs';

hideYjsWarnings();

/** A notebook whose cells at some places are selected, the first of them the active one. */
function notebook(selected: number[], ...cells: object[]) {
  const model = new NotebookModel();
  model.sharedModel.insertCells(
    0,
    cells.map((cell, index) => ({
      id: `c${index}`,
      cell_type: 'code',
      source: '',
      metadata: {},
      ...cell
    }))
  );
  model.sharedModel.clearUndoHistory();
  return {
    model,
    activeCellIndex: selected[0],
    get widgets() {
      return Array.from(model.cells, one => ({ model: one, outputArea: {} }));
    },
    isSelectedOrActive: (widget: { model: { id: string } }) =>
      selected.some(index => `c${index}` === widget.model.id),
    deselectAll: jest.fn()
  };
}

type Fake = ReturnType<typeof notebook>;

const state = ({ model }: Fake) => model.sharedModel.toJSON().cells;

const shapes = (fake: Fake) =>
  state(fake).map(({ cell_type, source }) => [cell_type, source]);

it('changes the selected cells by one step that is undone at once', () => {
  const fake = notebook(
    [0, 2],
    { source: 'One' },
    { source: 'Two' },
    { cell_type: 'markdown', source: 'Three', metadata: { tags: ['x'] } }
  );
  const before = state(fake);
  changeKind(fake as never, 'python', 'message');
  expect(shapes(fake)).toEqual([
    ['code', '%%python\nOne'],
    ['code', 'Two'],
    ['code', '%%python\nThree']
  ]);
  expect(fake.model.cells.get(2).id).toBe('c2');
  expect(state(fake)[2].metadata).toEqual({ tags: ['x'], trusted: true });
  fake.model.sharedModel.undo();
  expect(state(fake)).toEqual(before);
});

it('keeps the outputs of a cell while its type is the same', () => {
  const outputs = [{ output_type: 'stream', name: 'stdout', text: 'x' }];
  const fake = notebook([0], { source: 'print("x")', outputs });
  changeKind(fake as never, 'message', 'python');
  expect(fake.model.cells.get(0).id).toBe('c0');
  const source = '%%msg\nprint("x")';
  expect(state(fake)[0]).toMatchObject({ source, outputs });
});

it.each<[string, object]>([
  ['cannot be edited', { metadata: { editable: false } }],
  ['is of the kind', { source: '%%time\nx' }]
])('leaves a cell that %s', (_, cell) => {
  const fake = notebook([0], { source: 'One', ...cell });
  const before = state(fake);
  changeKind(fake as never, 'python', 'message');
  expect(state(fake)).toEqual(before);
});

it('leaves a cell that waits for input', () => {
  const fake = notebook([0], { source: 'input()' });
  const widgets = fake.widgets.map(one => ({
    ...one,
    outputArea: { pendingInput: true }
  }));
  changeKind({ ...fake, widgets } as never, 'note', 'python');
  expect(shapes(fake)).toEqual([['code', 'input()']]);
});

it('the kind of the selection is the one of all its cells', () => {
  const cells = [
    { source: 'One' },
    { source: '%%msg\nTwo' },
    { source: '!ls' }
  ];
  const kind = (selected: number[], bare: 'message' | 'python') =>
    selectedKind(notebook(selected, ...cells) as never, bare);
  expect(kind([0, 1], 'message')).toBe('message');
  expect(kind([0, 1], 'python')).toBeNull();
  expect(kind([2], 'python')).toBe('shell');
  expect(kind([1, 2], 'message')).toBeNull();
});
