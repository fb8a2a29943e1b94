import type { Notebook } from '@jupyterlab/notebook';

/** What a person does to scroll. */
const SCROLLING = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Pixels that count as none. */
const EPSILON = 1;

/** Time after which all cells have the height of another width, in milliseconds. */
const SETTLE = 1000;

type Scrolled = Pick<Notebook, 'outerNode' | 'scrollToItem' | 'widgets'>;

/** What a person has scrolled to. Pixels count from the top of the view. */
interface IPlace {
  /** The first cell in view. */
  readonly cell: HTMLElement;
  readonly top: number;
  readonly height: number;
  /** The last cell of the notebook and how far its end is above that of the view; null if that is not in view. */
  readonly end: { readonly cell: HTMLElement; readonly above: number } | null;
  /** Width of the view. */
  readonly width: number;
}

/**
 * Keeps what a person has scrolled to in its place.
 *
 * In JupyterLab's mode `full` the browser does not. A cell above that comes into the page is as high as
 * it is, not as was estimated, and would move all below it. What JupyterLab itself scrolls to is left
 * to JupyterLab.
 *
 * In a view of another width all cells have another height. Then the end of the notebook stays in view, or
 * the same part of the first cell.
 */
export class ScrollAnchor {
  constructor(
    private readonly _notebook: Scrolled,
    /** Returns whether the browser leaves this to the page. */
    private readonly _isOn: () => boolean
  ) {
    const { outerNode } = this._notebook;
    SCROLLING.forEach(name =>
      outerNode.addEventListener(name, this, { capture: true, passive: true })
    );
    outerNode.addEventListener('scroll', this, { passive: true });
    const scrollToItem = this._notebook.scrollToItem.bind(this._notebook);
    this._notebook.scrollToItem = (...where) => {
      this._isPersons = false;
      this._place = null;
      return scrollToItem(...where);
    };
    this._sizes = new ResizeObserver(() => this.hold());
    Array.from(outerNode.children).forEach(node => this._sizes.observe(node));
  }

  handleEvent({ type }: Event): void {
    if (type !== 'scroll') {
      this._isPersons = true;
      return;
    }
    const isOwn = this._notebook.outerNode.scrollTop === this._scrolledTo;
    this._scrolledTo = null;
    if (!isOwn) {
      this._note();
    }
  }

  /** Scroll by as much as what was in view has moved. */
  hold(): void {
    const { outerNode } = this._notebook;
    if (!this._isOn() || this._place === null) {
      return;
    }
    const by = this._moved(this._place);
    if (Math.abs(by) > EPSILON) {
      outerNode.scrollTop += by;
      this._scrolledTo = outerNode.scrollTop;
    }
  }

  dispose(): void {
    this._sizes.disconnect();
    window.clearTimeout(this._settling);
  }

  private _moved({ cell, top, height, end, width }: IPlace): number {
    if (this._notebook.outerNode.clientWidth === width) {
      return isShown(cell) ? this._topOf(cell) - top : 0;
    }
    window.clearTimeout(this._settling);
    this._settling = window.setTimeout(() => this._note(), SETTLE);
    if (end !== null) {
      return isShown(end.cell) ? end.above - this._endAbove(end.cell) : 0;
    }
    return isShown(cell)
      ? this._topOf(cell) - top * (cell.offsetHeight / height)
      : 0;
  }

  /** Note what is in view if a person has scrolled to it. */
  private _note(): void {
    const nodes = this._notebook.widgets.map(({ node }) => node);
    const cell = this._isPersons
      ? nodes.find(
          node => isShown(node) && this._topOf(node) + node.offsetHeight > 0
        )
      : undefined;
    this._place = cell === undefined ? null : this._placeOf(cell, nodes);
  }

  private _placeOf(cell: HTMLElement, nodes: readonly HTMLElement[]): IPlace {
    const last = nodes[nodes.length - 1];
    const above = isShown(last) ? this._endAbove(last) : -1;
    return {
      cell,
      top: this._topOf(cell),
      height: cell.offsetHeight,
      end: above < 0 ? null : { cell: last, above },
      width: this._notebook.outerNode.clientWidth
    };
  }

  private _topOf(node: HTMLElement): number {
    const { top } = this._notebook.outerNode.getBoundingClientRect();
    return node.getBoundingClientRect().top - top;
  }

  private _endAbove(node: HTMLElement): number {
    const { clientHeight } = this._notebook.outerNode;
    return clientHeight - this._topOf(node) - node.offsetHeight;
  }

  private readonly _sizes: ResizeObserver;
  /** Whether a person scrolls, and not JupyterLab. */
  private _isPersons = false;
  private _place: IPlace | null = null;
  /** Where this has scrolled to; null once the event of that has come. */
  private _scrolledTo: number | null = null;
  private _settling: number | undefined;
}

function isShown(node: HTMLElement): boolean {
  return node.isConnected && node.offsetHeight > 0;
}
