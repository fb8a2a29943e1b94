import { type Cell, isCodeCellModel } from '@jupyterlab/cells';
import type {
  CellList,
  INotebookModel,
  NotebookPanel
} from '@jupyterlab/notebook';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type * as nbformat from '@jupyterlab/nbformat';
import { asText } from '../turn/model';

/** What a person does; from then on the page scrolls only as it is told. */
const ACTIONS = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const;

/** Those that say that a person is elsewhere; a key may be the first of a message. */
const POINTING = ['wheel', 'pointerdown', 'touchstart'] as const;

/** Notes whether a person does something in a notebook while it is opened. */
export class ActionWatch {
  constructor(node: HTMLElement, actions: readonly string[] = ACTIONS) {
    this._node = node;
    this._actions = actions;
    listen(node, actions, this);
  }

  get hasActed(): boolean {
    return this._hasActed;
  }

  handleEvent(): void {
    this._hasActed = true;
  }

  dispose(): void {
    this._actions.forEach(action =>
      this._node.removeEventListener(action, this, { capture: true })
    );
  }

  private readonly _node: HTMLElement;
  private readonly _actions: readonly string[];
  private _hasActed = false;
}

function listen(
  node: HTMLElement,
  actions: readonly string[],
  listener: EventListenerObject
): void {
  actions.forEach(action =>
    node.addEventListener(action, listener, { capture: true, passive: true })
  );
}

/** Pixels below the last cell. */
const MARGIN = 12;

/** Pixels that count as none. */
const EPSILON = 2;

/**
 * Return the index of the first message of a chat in which nothing has run yet; -1 if something has, or none is written.
 *
 * Such a chat was written to be worked through from its top.
 */
export function firstUnanswered(cells: CellList): number {
  let first = -1;
  for (let index = 0; index < cells.length; index++) {
    const cell = cells.get(index);
    if (!isCodeCellModel(cell)) {
      continue;
    }
    if (cell.outputs.length > 0) {
      return -1;
    }
    if (first === -1 && cell.sharedModel.getSource().trim() !== '') {
      first = index;
    }
  }
  return first;
}

/**
 * Show a notebook at its top, with one of its cells selected.
 *
 * @param isInFront - Returns whether the notebook is the document in front, which gets the focus.
 */
export function openAtTop(
  { content }: NotebookPanel,
  index: number,
  isInFront: () => boolean
): void {
  content.activeCellIndex = index;
  content.deselectAll();
  if (isInFront() && !hasFocusInCell(content.node)) {
    content.activate();
  }
}

/**
 * Show a notebook at its end, with the cursor in its last cell.
 *
 * @param isInFront - Returns whether the notebook is the document in front, which gets the focus.
 */
export async function openAtEnd(
  panel: NotebookPanel,
  isInFront: () => boolean
): Promise<void> {
  const { content } = panel;
  const last = content.widgets.length - 1;
  if (last < 0) {
    return;
  }
  const cell = content.widgets[last];
  const person = new ActionWatch(panel.node, POINTING);
  content.activeCellIndex = last;
  content.deselectAll();
  new EndKeeper(panel);
  // Where only cells near the screen are in the page, the last one has to be asked for.
  content.scrollToItem(last, 'end').catch(() => undefined);
  await isShown(cell);
  person.dispose();
  const isElsewhere = person.hasActed || content.activeCell !== cell;
  if (!panel.isDisposed && !isElsewhere && !hasFocusInCell(content.node)) {
    content.mode = 'edit';
    if (isInFront()) {
      content.activate();
    }
  }
}

/**
 * Wait until a cell is in the page.
 *
 * JupyterLab would give one that is not the focus up to three seconds later, wherever a person is by then.
 */
async function isShown(cell: Cell): Promise<void> {
  await cell.ready;
  if (!cell.inViewport && !cell.isDisposed) {
    await new Promise<void>(resolve => {
      cell.inViewportChanged.connect(() => resolve());
      cell.disposed.connect(() => resolve());
    });
  }
}

/** Return whether a button, a link or an answer in a cell has the focus; JupyterLab itself gives it to the cell. */
function hasFocusInCell(notebook: HTMLElement): boolean {
  const cell = document.activeElement?.parentElement?.closest('.jp-Cell');
  return cell ? notebook.contains(cell) : false;
}

/** Keeps the end of a notebook in view while its answers are drawn, until a person does something. */
class EndKeeper {
  constructor(panel: NotebookPanel) {
    this._panel = panel;
    this._scroller = panel.content.outerNode;
    listen(panel.node, ACTIONS, this);
    this._scroller.addEventListener('scroll', this);
    this._sizes = new ResizeObserver(() => this._show());
    Array.from(this._scroller.children).forEach(node =>
      this._sizes.observe(node)
    );
    this._sizes.observe(this._scroller);
    panel.disposed.connect(() => this._end());
    this._show();
  }

  handleEvent({ type }: Event): void {
    const { scrollHeight } = this._scroller;
    // Somebody has scrolled to another place, such as a heading in the address.
    const isElsewhere =
      type === 'scroll' &&
      scrollHeight === this._height &&
      Math.abs(this._distance()) > EPSILON &&
      this._scroller.scrollTop > EPSILON;
    if (type !== 'scroll' || isElsewhere) {
      this._end();
    }
  }

  private _show(): void {
    this._scroller.scrollTop += this._distance();
    this._height = this._scroller.scrollHeight;
  }

  /** Return how far the end of the last cell is below the edge. */
  private _distance(): number {
    const { widgets } = this._panel.content;
    const cell = widgets[widgets.length - 1]?.node;
    // A cell out of view may stay in the page, hidden, and has no place then.
    if (cell === undefined || !cell.isConnected || cell.offsetHeight === 0) {
      return 0;
    }
    const edge = this._scroller.getBoundingClientRect().bottom;
    return cell.getBoundingClientRect().bottom + MARGIN - edge;
  }

  private _end(): void {
    ACTIONS.forEach(action =>
      this._panel.node.removeEventListener(action, this, { capture: true })
    );
    this._scroller.removeEventListener('scroll', this);
    this._sizes.disconnect();
  }

  private readonly _panel: NotebookPanel;
  private readonly _scroller: HTMLElement;
  private readonly _sizes: ResizeObserver;
  private _height = 0;
}

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
  constructor(context: Context) {
    this._context = context;
    const { model } = context;
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

  private readonly _context: Context;
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
