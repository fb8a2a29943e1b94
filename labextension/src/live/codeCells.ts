import { CodeCell } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';

/** Call `made` for each code cell of a notebook, now and when one is added. */
export function forEachCodeCell(
  notebook: Notebook,
  made: (cell: CodeCell) => void
): void {
  const add = (start: number, end?: number) => {
    for (const cell of notebook.widgets.slice(start, end)) {
      if (cell instanceof CodeCell) {
        made(cell);
      }
    }
  };
  // The notebook makes the widgets in its own slots, which were connected before.
  const onModel = () => {
    notebook.model?.cells.changed.connect(
      (_, { type, newIndex, newValues }) => {
        if (type === 'add') {
          add(newIndex, newIndex + newValues.length);
        }
      }
    );
    add(0);
  };
  notebook.modelChanged.connect(onModel);
  onModel();
}
