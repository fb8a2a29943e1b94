import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';

import type { IMark } from '../comm/mark';
import type { TurnJson } from '../turn/delta';
import { isObject } from '../turn/model';
import { cellSummaries, supersedes } from '../turn/summaries';

/** Key of what is ours in the metadata of a cell. */
const OURS = 'msgbook';

/** The part of a notebook's model that holds cells. */
type Cells = Pick<INotebookModel, 'cells' | 'sharedModel'>;

/** Set the history of cells, as one change that can be undone; unknown cells are left alone. */
export function markHistory(model: Cells, { cells, history }: IMark): void {
  const marked = Array.from(model.cells).filter(cell => cells.has(cell.id));
  asOneChange(model, () => {
    for (const cell of marked) {
      set(cell, { history });
    }
  });
}

/**
 * Write the summaries that a turn had made into the cells that they stand for.
 *
 * A person's own words are kept. Not undoable: nobody here made the change, and an undo is meant
 * for what somebody did.
 */
export function keepSummaries(model: Cells, turn: TurnJson): void {
  const summaries = cellSummaries(turn);
  for (const cell of summaries.size > 0 ? model.cells : []) {
    const summary = summaries.get(cell.id);
    const ours: unknown = cell.getMetadata(OURS) ?? {};
    if (
      summary !== undefined &&
      isObject(ours) &&
      supersedes(summary, ours.summary)
    ) {
      set(cell, { summary });
    }
  }
}

function set(cell: ICellModel, change: JSONObject): void {
  const ours: unknown = cell.getMetadata(OURS);
  cell.setMetadata(OURS, { ...(isObject(ours) ? ours : {}), ...change });
}

/** Make changes that are undone together, and not with what was done just before or after. */
function asOneChange(model: Cells, change: () => void): void {
  // Its interface does not name the undo manager, which joins what happens within half a second.
  const { undoManager } = model.sharedModel as {
    undoManager?: { stopCapturing(): void };
  };
  undoManager?.stopCapturing();
  model.sharedModel.transact(change);
  undoManager?.stopCapturing();
}
