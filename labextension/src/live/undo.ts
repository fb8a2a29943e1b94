import type { INotebookModel } from '@jupyterlab/notebook';

/** The part of Yjs's undo manager that is needed here; the shared model's interface lacks it. */
interface IUndoManager {
  readonly scope: readonly unknown[];
  captureTransaction(transaction: ITransaction): boolean;
  addToScope(type: unknown): void;
  stopCapturing(): void;
}

interface ITransaction {
  readonly origin: unknown;
  readonly changedParentTypes: ReadonlyMap<unknown, unknown>;
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
  undoMetadata(undoManager, ymeta);
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
 * Let a manager undo the changes of the notebook's metadata that we make.
 *
 * JupyterLab undoes no such change. Its own ones, and what a turn saves, stay as they are.
 */
function undoMetadata(manager: IUndoManager, ymeta: unknown): void {
  if (managers.has(manager)) {
    return;
  }
  const others = [...manager.scope];
  const captures = manager.captureTransaction;
  manager.captureTransaction = transaction =>
    captures.call(manager, transaction) &&
    (managers.get(manager) === true ||
      // What is undone can be done again.
      transaction.origin === manager ||
      others.some(type => transaction.changedParentTypes.has(type)));
  manager.addToScope(ymeta);
}
