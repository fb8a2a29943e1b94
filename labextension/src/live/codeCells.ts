import { type Cell, CodeCell } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { PanelLayout, type Widget } from '@lumino/widgets';

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

/** Put a widget directly below the input of a cell, or above it. */
export function placeAtInput(
  { layout }: Pick<Cell, 'layout'>,
  widget: Widget,
  place: 'before' | 'after' = 'after'
): void {
  if (layout instanceof PanelLayout) {
    const input = layout.widgets.findIndex(one =>
      one.hasClass('jp-Cell-inputWrapper')
    );
    layout.insertWidget(place === 'before' ? input : input + 1, widget);
  }
}

/** Return the place of a cell in a notebook; -1 if it is gone. */
export function indexOfCell(
  { widgets }: Pick<Notebook, 'widgets'>,
  cellId: string
): number {
  return widgets.findIndex(({ model }) => model.id === cellId);
}
