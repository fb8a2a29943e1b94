import {
  type INotebookModel,
  type Notebook,
  NotebookActions,
  type NotebookPanel
} from '@jupyterlab/notebook';
import {
  JSONExt,
  type JSONObject,
  type JSONValue,
  type ReadonlyJSONValue
} from '@lumino/coreutils';
import type { IHistoryMark } from '../comm/turnMessages';
import type { TurnJson } from '../turn/delta';
import { cellSummaries, supersedes, turnMacros } from '../turn/model';
import { isObject } from '../turn/reading';
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';

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
    const ours = oursOf(cell);
    if (summary && ours && supersedes(summary, ours.summary)) {
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
  const ours = oursOf(model);
  if (
    macros &&
    ours &&
    !JSONExt.deepEqual((ours.macros ?? {}) as JSONObject, macros)
  ) {
    const isEmpty = Object.keys(macros).length === 0;
    changeOurs(model, { macros: isEmpty ? undefined : macros });
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
  const ours = oursOf(model);
  if (ours !== null) {
    model.setMetadata(OURS, { ...ours, agent_metadata: agentMetadata });
  }
}

/** What has metadata: a notebook or a cell. */
interface IWithMetadata {
  getMetadata(key: string): unknown;
  setMetadata(key: string, value: JSONObject): void;
  deleteMetadata(key: string): void;
}

/** Return our metadata: empty where there are none, null for a value that is no object. */
export function oursOf(
  node: Pick<IWithMetadata, 'getMetadata'>
): Record<string, unknown> | null {
  const ours: unknown = node.getMetadata(OURS) ?? {};
  return isObject(ours) ? ours : null;
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

/** The part of Yjs's undo manager that is needed here; the shared model's interface lacks it. */
interface IUndoManager {
  readonly scope: readonly unknown[];
  readonly undoStack: readonly IUndoable[];
  readonly redoStack: readonly IUndoable[];
  captureTransaction(transaction: ITransaction): boolean;
  addToScope(type: unknown): void;
  stopCapturing(): void;
}

interface ITransaction {
  readonly origin: unknown;
  readonly changedParentTypes: ReadonlyMap<unknown, unknown>;
  /** The keys of maps that were set. */
  readonly changed: ReadonlyMap<IMap, ReadonlySet<string | null>>;
}

interface IMap {
  readonly _map: ReadonlyMap<string | null, IItem>;
}

/** A value that was set, and at its left the value before it. */
interface IItem {
  readonly id: { readonly client: number; readonly clock: number };
  readonly left: IItem | null;
  /** Plain values are in `arr`; a text or a list has none. */
  readonly content: { readonly arr?: readonly ReadonlyJSONValue[] };
}

/** A change that can be undone; the items that it inserted, by client, ordered by clock. */
interface IUndoable {
  readonly insertions: {
    readonly clients: ReadonlyMap<number, { clock: number; len: number }[]>;
  };
}

/** Managers that undo our changes of the notebook's metadata; true while we make one. */
const managers = new WeakMap<IUndoManager, boolean>();

/** Make changes of a notebook that are undone together and apart from all others. */
export function asOneChange(
  { sharedModel }: Pick<INotebookModel, 'sharedModel'>,
  change: () => void
): void {
  const { undoManager, ymeta } = sharedModel as unknown as {
    undoManager?: IUndoManager;
    ymeta?: unknown;
  };
  if (undoManager === undefined || ymeta === undefined) {
    sharedModel.transact(change);
    return;
  }
  prepare(undoManager, ymeta);
  // Changes within half a second are joined otherwise.
  undoManager.stopCapturing();
  managers.set(undoManager, true);
  try {
    sharedModel.transact(change);
  } finally {
    managers.set(undoManager, false);
    undoManager.stopCapturing();
  }
}

/**
 * Let a manager undo the changes of the notebook's metadata that we make, also after a run.
 *
 * JupyterLab undoes no such change. Its own ones, and what a turn saves, stay as they are.
 */
function prepare(manager: IUndoManager, ymeta: unknown): void {
  if (managers.has(manager)) {
    return;
  }
  const others = [...manager.scope];
  const captures = manager.captureTransaction;
  manager.captureTransaction = transaction => {
    adoptRewritten(manager, transaction);
    return (
      captures.call(manager, transaction) &&
      (managers.get(manager) === true ||
        // What is undone can be done again.
        transaction.origin === manager ||
        others.some(type => transaction.changedParentTypes.has(type)))
    );
  };
  manager.addToScope(ymeta);
}

/**
 * Count values that are set again without a change to the change that set them first.
 *
 * JupyterLab sets all metadata of a cell again when it is run for the first time, to mark it as
 * trusted. Yjs takes that for a change of somebody else, which an undo leaves alone.
 */
function adoptRewritten(
  { undoStack, redoStack }: IUndoManager,
  { changed }: ITransaction
): void {
  for (const [map, keys] of changed) {
    for (const key of keys) {
      const item = key === null ? undefined : map._map.get(key);
      if (item?.left && isSameValue(item, item.left)) {
        const { client, clock } = item.id;
        for (const { insertions } of [...undoStack, ...redoStack]) {
          const ranges = insertions.clients.get(client);
          if (ranges?.some(range => holds(range, item.left!))) {
            ranges.push({ clock, len: 1 });
          }
        }
      }
    }
  }
}

function holds(range: { clock: number; len: number }, { id }: IItem): boolean {
  return range.clock <= id.clock && id.clock < range.clock + range.len;
}

/** Return whether the same client has set the same plain value twice. */
function isSameValue(one: IItem, other: IItem): boolean {
  const values = [one.content.arr, other.content.arr];
  return (
    one.id.client === other.id.client &&
    values[0] !== undefined &&
    values[1] !== undefined &&
    JSONExt.deepEqual(values[0], values[1])
  );
}

/** What a new cell holds. */
export interface INewCell {
  readonly id?: string;
  readonly cell_type: 'code' | 'markdown';
  readonly source: string;
}

/** Insert a cell, as one change that can be undone. */
export function insertCell(
  model: Pick<INotebookModel, 'sharedModel'>,
  index: number,
  cell: INewCell
): void {
  const metadata = cell.cell_type === 'code' ? { trusted: true } : {};
  asOneChange(model, () =>
    model.sharedModel.insertCell(index, { ...cell, metadata })
  );
}

/** Make a cell the active one, and the only one that is selected. */
export function activateCell(notebook: Notebook, index: number): void {
  notebook.activeCellIndex = index;
  notebook.deselectAll();
}

/** Run a cell where it stands. */
export async function runCell(
  { content, sessionContext }: NotebookPanel,
  cell: Cell,
  dialogs?: ISessionContextDialogs
): Promise<void> {
  await NotebookActions.runCells(content, [cell], sessionContext, dialogs);
}
