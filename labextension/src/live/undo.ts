import type { INotebookModel } from '@jupyterlab/notebook';
import { JSONExt, type ReadonlyJSONValue } from '@lumino/coreutils';

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
