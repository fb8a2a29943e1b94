import type { NotebookPanel } from '@jupyterlab/notebook';

/** What a person does; from then on the page scrolls only as it is told. */
const ACTIONS = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const;

/** Notes whether a person does something in a notebook while it is opened. */
export class ActionWatch {
  constructor(node: HTMLElement) {
    this._node = node;
    onActions(node, this);
  }

  get hasActed(): boolean {
    return this._hasActed;
  }

  handleEvent(): void {
    this._hasActed = true;
  }

  dispose(): void {
    offActions(this._node, this);
  }

  private readonly _node: HTMLElement;
  private _hasActed = false;
}

function onActions(node: HTMLElement, listener: EventListenerObject): void {
  ACTIONS.forEach(action =>
    node.addEventListener(action, listener, { capture: true, passive: true })
  );
}

function offActions(node: HTMLElement, listener: EventListenerObject): void {
  ACTIONS.forEach(action =>
    node.removeEventListener(action, listener, { capture: true })
  );
}

/** Pixels below the last cell. */
const MARGIN = 12;

/** Pixels that count as none. */
const EPSILON = 2;

/**
 * Show a notebook at its end, with the cursor in its last cell.
 *
 * @param isInFront - Returns whether the notebook is the document in front, which gets the focus.
 */
export function openAtEnd(
  panel: NotebookPanel,
  isInFront: () => boolean
): void {
  const { content } = panel;
  const last = content.widgets.length - 1;
  if (last < 0) {
    return;
  }
  content.activeCellIndex = last;
  content.deselectAll();
  content.mode = 'edit';
  if (isInFront()) {
    content.activate();
  }
  new EndKeeper(panel);
  // Where only cells near the screen are in the page, the last one has to be asked for.
  content.scrollToItem(last, 'end').catch(() => undefined);
}

/** Keeps the end of a notebook in view while its answers are drawn, until a person does something. */
class EndKeeper {
  constructor(panel: NotebookPanel) {
    this._panel = panel;
    this._scroller = panel.content.outerNode;
    onActions(panel.node, this);
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
    if (cell === undefined || !cell.isConnected) {
      return 0;
    }
    const edge = this._scroller.getBoundingClientRect().bottom;
    return cell.getBoundingClientRect().bottom + MARGIN - edge;
  }

  private _end(): void {
    offActions(this._panel.node, this);
    this._scroller.removeEventListener('scroll', this);
    this._sizes.disconnect();
  }

  private readonly _panel: NotebookPanel;
  private readonly _scroller: HTMLElement;
  private readonly _sizes: ResizeObserver;
  private _height = 0;
}
