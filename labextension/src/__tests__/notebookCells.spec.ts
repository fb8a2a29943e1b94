import { CodeCellModel } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';

import { NotebookCells, turnOf } from '../live/notebookCells';

/** A notebook of code cells that counts how often the id of a cell is read. */
function notebook(many: number) {
  const read = { ids: 0 };
  const cell = (id: string) => {
    const node = document.createElement('div');
    node.className = 'jp-Cell';
    const model = {
      type: 'code',
      executionState: 'idle',
      get id() {
        read.ids += 1;
        return id;
      }
    };
    return { node, model, isDisposed: false };
  };
  const widgets = Array.from({ length: many }, (_, index) => cell(`c${index}`));
  const cells = new NotebookCells(
    { widgets } as unknown as Notebook,
    () => null
  );
  return { cell, cells, read, widgets };
}

it('finds a thousand cells by id with one look at each', () => {
  const { cells, read } = notebook(1000);
  for (let index = 0; index < 1000; index++) {
    expect(cells.has(`c${index}`)).toBe(true);
  }
  expect(read.ids).toBe(1000);
});

it('finds the cell of a thousand turns without a look at the others', () => {
  const { cells, read, widgets } = notebook(1000);
  widgets.forEach(({ node }, index) => {
    node.dataset.windowedListIndex = String(index);
  });
  widgets.forEach(({ node }, index) => {
    const turn = node.appendChild(document.createElement('div'));
    expect(cells.cellIdOf(turn)).toBe(`c${index}`);
  });
  expect(read.ids).toBe(1000);
});

it.each(['', 'x', '-1', '2', '9'])(
  'finds the cell of a turn where its element says %j of its place',
  said => {
    const { cells, widgets } = notebook(3);
    const { node } = widgets[1];
    node.dataset.windowedListIndex = said;
    expect(cells.cellIdOf(node)).toBe('c1');
    expect(cells.cellIdOf(document.createElement('div'))).toBeNull();
  }
);

it('finds what was added, replaced, moved and deleted since', () => {
  const { cell, cells, widgets } = notebook(3);
  expect(cells.has('new')).toBe(false);
  widgets.splice(1, 0, cell('new'));
  expect(cells.has('new')).toBe(true);

  // JupyterLab moves a cell, and changes its type, by making another one.
  const again = cell('c0');
  again.model.executionState = 'running';
  widgets[0].isDisposed = true;
  widgets.splice(0, 1);
  widgets.push(again);
  expect(cells.isRunning('c0')).toBe(true);

  widgets[0].isDisposed = true;
  widgets.splice(0, 1);
  expect(cells.has('new')).toBe(false);
  expect(cells.has('c2')).toBe(true);
});

it('finds no turn in a cell that is gone', () => {
  const model = new CodeCellModel();
  expect(turnOf(model)).toBeNull();
  model.dispose();
  expect(turnOf(model)).toBeNull();
});
