import { CodeCell } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

/**
 * Call `made` for each code cell of a notebook, now and when one is added, until the notebook is
 * closed. Another view of it may keep its model.
 */
export function forEachCodeCell(
  notebook: Pick<Notebook, 'widgets' | 'model' | 'modelChanged' | 'disposed'>,
  made: (cell: CodeCell) => void
): void {
  const add = (start: number, end?: number) => {
    for (const cell of notebook.widgets.slice(start, end)) {
      if (cell instanceof CodeCell) {
        made(cell);
      }
    }
  };
  const receiver = {};
  // The notebook makes the widgets in its own slots, which were connected before.
  const onModel = () => {
    notebook.model?.cells.changed.connect(
      (_, { type, newIndex, newValues }) => {
        if (type === 'add') {
          add(newIndex, newIndex + newValues.length);
        }
      },
      receiver
    );
    add(0);
  };
  notebook.modelChanged.connect(onModel, receiver);
  notebook.disposed.connect(() => Signal.clearData(receiver));
  onModel();
}
