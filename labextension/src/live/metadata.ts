import type { INotebookModel } from '@jupyterlab/notebook';
import { JSONExt, type JSONObject, type JSONValue } from '@lumino/coreutils';

import type { IHistoryMark } from '../comm/historyMessages';
import type { TurnJson } from '../turn/delta';
import { turnMacros } from '../turn/macros';
import { isObject } from '../turn/model';
import { cellSummaries, supersedes } from '../turn/summaries';
import { asOneChange } from './undo';

/** Key of msgbook's metadata in a notebook and in a cell. */
export const OURS = 'msgbook';

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
      changeOurs(cell, { history });
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
      changeOurs(cell, { summary });
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
  if (JSONExt.deepEqual((found.macros ?? {}) as JSONObject, macros)) {
    return;
  }
  const isEmpty = Object.keys(macros).length === 0;
  changeOurs(model, { macros: isEmpty ? undefined : macros });
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

/** What has metadata: a notebook or a cell. */
interface IWithMetadata {
  getMetadata(key: string): unknown;
  setMetadata(key: string, value: JSONObject): void;
  deleteMetadata(key: string): void;
}

/** Change keys of our metadata; `undefined` removes a key. All others are kept. */
export function changeOurs(
  node: IWithMetadata,
  change: Record<string, JSONValue | undefined>
): void {
  const found: unknown = node.getMetadata(OURS);
  const ours = { ...(isObject(found) ? found : {}), ...change };
  const kept = Object.entries(ours).filter(([, value]) => value !== undefined);
  if (kept.length > 0) {
    node.setMetadata(OURS, Object.fromEntries(kept) as JSONObject);
  } else if (found !== undefined) {
    node.deleteMetadata(OURS);
  }
}
