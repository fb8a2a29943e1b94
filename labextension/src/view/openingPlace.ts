import { type Cell, isCodeCellModel } from '@jupyterlab/cells';
import type { CellList, Notebook, NotebookPanel } from '@jupyterlab/notebook';

/** What a person does; from then on the page scrolls only as it is told. */
const ACTIONS = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const;

/** Those that say that a person is elsewhere; a key may be the first of a message. */
const POINTING = ['wheel', 'pointerdown', 'touchstart'] as const;

/** Notes whether a person does something in a notebook while it is opened. */
export class ActionWatch {
  constructor(
    private readonly _node: HTMLElement,
    actions: readonly string[] = ACTIONS
  ) {
    this._actions = actions;
    listen(this._node, actions, this);
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

/** Pixels within which JupyterLab leaves an end to which it scrolls. */
const NEAR = 48;

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

type Scrolled = Pick<NotebookPanel, 'node' | 'disposed'> & {
  readonly content: Pick<Notebook, 'outerNode' | 'widgets'>;
};

/** Keeps the end of a notebook in view while its answers are drawn, until a person does something. */
export class EndKeeper {
  constructor(private readonly _panel: Scrolled) {
    this._scroller = this._panel.content.outerNode;
    listen(this._panel.node, ACTIONS, this);
    this._scroller.addEventListener('scroll', this);
    this._sizes = new ResizeObserver(() => this._show());
    Array.from(this._scroller.children).forEach(node =>
      this._sizes.observe(node)
    );
    this._sizes.observe(this._scroller);
    this._panel.disposed.connect(() => this._end());
    this._show();
  }

  handleEvent({ type }: Event): void {
    const { scrollHeight, scrollTop } = this._scroller;
    const distance = Math.abs(this._distance());
    if (type !== 'scroll') {
      this._end();
    } else if (
      scrollHeight === this._height &&
      distance > EPSILON &&
      scrollTop > EPSILON
    ) {
      // JupyterLab is still on its way there, or has gone elsewhere, such as to a heading in the address.
      if (distance > NEAR) {
        this._end();
      } else {
        this._show();
      }
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

  private readonly _scroller: HTMLElement;
  private readonly _sizes: ResizeObserver;
  private _height = 0;
}
