import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { JSONExt, type JSONObject } from '@lumino/coreutils';

import type { IHistoryMark } from '../comm/historyMessages';
import type { TurnJson } from '../turn/delta';
import { turnMacros } from '../turn/macros';
import { isObject } from '../turn/model';
import { cellSummaries, supersedes } from '../turn/summaries';

/** Key of msgbook's metadata in a notebook and in a cell. */
const OURS = 'msgbook';

/** The part of a notebook's model that holds cells. */
type Cells = Pick<INotebookModel, 'cells' | 'sharedModel'>;

/** Set the history of cells, as one change that can be undone; unknown cells are left alone. */
export function markHistory(
  model: Cells,
  { cells, history }: IHistoryMark
): void {
  const marked = Array.from(model.cells).filter(cell => cells.has(cell.id));
  asOneChange(model, () => {
    for (const cell of marked) {
      set(cell, { history });
    }
  });
}

/**
 * Write the summaries that a turn made into the cells that they summarise.
 *
 * A person's own summary is kept. The change cannot be undone, since nobody at this page made it.
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

/**
 * Replace the macros in the notebook's metadata by those of a turn; this cannot be undone either.
 */
export function keepMacros(
  model: Pick<INotebookModel, 'getMetadata' | 'setMetadata' | 'deleteMetadata'>,
  turn: TurnJson
): void {
  const macros = turnMacros(turn);
  const found: unknown = model.getMetadata(OURS) ?? {};
  if (macros === undefined || !isObject(found)) {
    return;
  }
  const { macros: before, ...others } = found;
  if (JSONExt.deepEqual((before ?? {}) as JSONObject, macros)) {
    return;
  }
  const ours = {
    ...others,
    ...(Object.keys(macros).length > 0 ? { macros } : {})
  };
  if (Object.keys(ours).length > 0) {
    model.setMetadata(OURS, ours);
  } else {
    model.deleteMetadata(OURS);
  }
}

/**
 * Set the AgentMetadata of a notebook; this cannot be undone either. Metadata of ours that are no
 * object are left alone.
 */
export function keepAgent(
  model: Pick<INotebookModel, 'getMetadata' | 'setMetadata'>,
  agentMetadata: JSONObject
): void {
  const ours: unknown = model.getMetadata(OURS) ?? {};
  if (isObject(ours)) {
    model.setMetadata(OURS, { ...ours, agent_metadata: agentMetadata });
  }
}

function set(cell: ICellModel, change: JSONObject): void {
  const ours: unknown = cell.getMetadata(OURS);
  cell.setMetadata(OURS, { ...(isObject(ours) ? ours : {}), ...change });
}

/** Make changes that are undone together and apart from all others. */
function asOneChange(model: Cells, change: () => void): void {
  // The interface lacks the undo manager, which joins changes within half a second.
  const { undoManager } = model.sharedModel as {
    undoManager?: { stopCapturing(): void };
  };
  undoManager?.stopCapturing();
  model.sharedModel.transact(change);
  undoManager?.stopCapturing();
}
