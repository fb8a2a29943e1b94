import type { INotebookModel } from '@jupyterlab/notebook';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type * as nbformat from '@jupyterlab/nbformat';
import { asText } from '../turn/reading';

type Context = Pick<
  DocumentRegistry.IContext<INotebookModel>,
  'model' | 'contentsModel'
>;

/** Metadata that JupyterLab itself gives to a cell that is made. */
const NO_METADATA: ReadonlySet<string> = new Set(['trusted']);

/** The documents that keep a message ready, with all their views. */
const WAITING = new WeakMap<INotebookModel, WaitingMessage>();

/**
 * Keep an empty message at the end of a chat, where the next one is written.
 *
 * It is no part of the file until something is written in it. A document that others share is written
 * by the server, and each page would add a cell of its own: it is left as it is.
 */
export function keepMessageReady(context: Context): void {
  const { model } = context;
  if (!WAITING.has(model)) {
    WAITING.set(model, new WaitingMessage(context));
  }
}

/** Keep a message ready in a chat that could not be written when it was opened, and now can. */
export function keepMessageReadyNow({ model }: Pick<Context, 'model'>): void {
  WAITING.get(model)?.begin();
}

class WaitingMessage {
  constructor(private readonly _context: Context) {
    const { model } = this._context;
    if (model.collaborative) {
      return;
    }
    const toJSON = model.toJSON.bind(model);
    // JupyterLab saves what this returns, and has no other place where a cell can be left out.
    model.toJSON = () =>
      withoutUnwritten(toJSON() as nbformat.INotebookContent, this._id);
    const fromJSON = model.fromJSON.bind(model);
    // The file is read again, changed or not: no signal tells of both.
    model.fromJSON = notebook => {
      fromJSON(notebook);
      this._hasBegun = false;
      this._id = null;
      this.begin();
    };
    this.begin();
  }

  /** Add an empty message, once for each time that the file is read, as soon as it can be written. */
  begin(): void {
    const { model, contentsModel } = this._context;
    if (
      !this._hasBegun &&
      !model.collaborative &&
      contentsModel?.writable !== false &&
      !model.readOnly
    ) {
      this._hasBegun = true;
      this._id = addUnsaved(model);
    }
  }

  private _hasBegun = false;
  /** The cell that was added; null if there was one. */
  private _id: string | null = null;
}

/** Add an empty message, no change to undo or to save, and return its id; null if there is one. */
function addUnsaved(model: INotebookModel): string | null {
  const { sharedModel, dirty } = model;
  const last = sharedModel.cells[sharedModel.cells.length - 1];
  if (last?.cell_type === 'code' && last.getSource().trim() === '') {
    return null;
  }
  let id: string | null = null;
  sharedModel.transact(() => {
    const cell = sharedModel.insertCell(sharedModel.cells.length, {
      cell_type: 'code',
      metadata: { trusted: true }
    });
    id = cell.getId();
  }, false);
  model.dirty = dirty;
  return id;
}

/** Return a notebook without the cell of an id, if that is the last one and nothing was written in it. */
export function withoutUnwritten(
  notebook: nbformat.INotebookContent,
  id: string | null
): nbformat.INotebookContent {
  const last = notebook.cells[notebook.cells.length - 1];
  const isUnwritten =
    last?.cell_type === 'code' &&
    last.id === id &&
    [last.source].flat().join('').trim() === '' &&
    (last.outputs as unknown[]).length === 0 &&
    Object.keys(last.metadata).every(key => NO_METADATA.has(key));
  return isUnwritten
    ? { ...notebook, cells: notebook.cells.slice(0, -1) }
    : notebook;
}

/**
 * Return the id of a cell as the file has it: for the message that is left out, that of the last cell.
 */
export function idInFile(
  model: Pick<INotebookModel, 'toJSON'>,
  id: string
): string {
  const { cells } = model.toJSON() as nbformat.INotebookContent;
  const cell = cells.find(cell => cell.id === id) ?? cells[cells.length - 1];
  return asText(cell?.id) ?? id;
}
