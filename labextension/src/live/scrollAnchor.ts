import type { Notebook } from '@jupyterlab/notebook';

/** What a person does to scroll. */
const SCROLLING = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Pixels that count as none. */
const EPSILON = 1;

type Scrolled = Pick<Notebook, 'outerNode' | 'scrollToItem' | 'widgets'>;

/**
 * Keeps what a person has scrolled to in its place.
 *
 * In JupyterLab's mode `full` the browser does not. A cell above that comes into the page is as high as
 * it is, not as was estimated, and would move all below it. What JupyterLab itself scrolls to is left
 * to JupyterLab.
 */
export class ScrollAnchor {
  /** @param isOn - Returns whether the browser leaves this to the page. */
  constructor(notebook: Scrolled, isOn: () => boolean) {
    this._notebook = notebook;
    this._isOn = isOn;
    const { outerNode } = notebook;
    SCROLLING.forEach(name =>
      outerNode.addEventListener(name, this, { capture: true, passive: true })
    );
    outerNode.addEventListener('scroll', this, { passive: true });
    const scrollToItem = notebook.scrollToItem.bind(notebook);
    notebook.scrollToItem = (...where) => {
      this._isPersons = false;
      this._cell = null;
      return scrollToItem(...where);
    };
    this._sizes = new ResizeObserver(() => this.hold());
    Array.from(outerNode.children).forEach(node => this._sizes.observe(node));
  }

  handleEvent({ type }: Event): void {
    if (type === 'scroll') {
      this._note();
    } else {
      this._isPersons = true;
    }
  }

  /** Scroll by as much as the first cell in view was moved. */
  hold(): void {
    const { outerNode } = this._notebook;
    if (!this._isOn() || this._cell === null || !isShown(this._cell)) {
      return;
    }
    const by = this._topOf(this._cell) - this._top;
    if (Math.abs(by) > EPSILON) {
      outerNode.scrollTop += by;
    }
  }

  dispose(): void {
    this._sizes.disconnect();
  }

  /** Note the first cell in view, and where it is. */
  private _note(): void {
    const nodes = this._notebook.widgets.map(({ node }) => node);
    this._cell = this._isPersons
      ? (nodes.find(
          node => isShown(node) && this._topOf(node) + node.offsetHeight > 0
        ) ?? null)
      : null;
    this._top = this._cell === null ? 0 : this._topOf(this._cell);
  }

  private _topOf(node: HTMLElement): number {
    const { top } = this._notebook.outerNode.getBoundingClientRect();
    return node.getBoundingClientRect().top - top;
  }

  private readonly _notebook: Scrolled;
  private readonly _isOn: () => boolean;
  private readonly _sizes: ResizeObserver;
  /** Whether a person scrolls, and not JupyterLab. */
  private _isPersons = false;
  private _cell: HTMLElement | null = null;
  /** Where its top was, in pixels below that of the view. */
  private _top = 0;
}

function isShown(node: HTMLElement): boolean {
  return node.isConnected && node.offsetHeight > 0;
}
