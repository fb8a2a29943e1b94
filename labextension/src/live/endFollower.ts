import type { Notebook } from '@jupyterlab/notebook';

/** Pixels by which an end may be out of view and still count as seen. */
const ALMOST = 8;

/** Pixels that are left below an end that is followed. */
const MARGIN = 16;

/** Where things stand, in pixels from the top of the window. */
export interface IPlaces {
  /** The end of the running cell, or of the cell below it in which the person writes. */
  readonly end: number;
  readonly viewTop: number;
  readonly viewBottom: number;
  /** How far the view is scrolled, and whether that is as far as it goes. */
  readonly scrolled: number;
  readonly isAtBottom: boolean;
}

/**
 * The rule by which the view follows the end of a running answer.
 *
 * It follows if the end was in view before the answer grew. A person who scrolls up stops it; one
 * who scrolls back to the end lets it go on.
 */
export class FollowRule {
  get isFollowing(): boolean {
    return this._isFollowing;
  }

  /** An answer begins. */
  begin(places: IPlaces): void {
    this._scrolled = places.scrolled;
    this._isFollowing = isInView(places);
  }

  /** The view was scrolled, by the person or by `grow`. */
  scroll(places: IPlaces): void {
    const { scrolled, isAtBottom } = places;
    if (scrolled === this._scrolled) {
      return;
    }
    // What becomes shorter moves the view up, to where it can go no further.
    const isUp = scrolled < this._scrolled && !isAtBottom;
    this._scrolled = scrolled;
    this._isFollowing = !isUp && isInView(places);
  }

  /** The answer has grown. Return by how many pixels to scroll. */
  grow({ end, viewBottom, scrolled }: IPlaces): number {
    const by = Math.max(0, Math.ceil(end + MARGIN - viewBottom));
    if (!this._isFollowing || by === 0) {
      return 0;
    }
    this._scrolled = scrolled + by;
    return by;
  }

  /** Note where the view was scrolled to: it may not go as far as `grow` said. */
  scrolledTo(scrolled: number): void {
    this._scrolled = scrolled;
  }

  private _isFollowing = false;
  /** How far the view was scrolled when it was last looked at. */
  private _scrolled = 0;
}

function isInView({ end, viewTop, viewBottom }: IPlaces): boolean {
  return end <= viewBottom + ALMOST && end >= viewTop;
}

/** Time after the end of a turn in which its cell may still grow, in milliseconds. */
const SETTLE = 500;

/** Lets the view of a notebook follow the end of its running answer. */
export class EndFollower {
  constructor(notebook: Notebook) {
    this._notebook = notebook;
    this._observer = new ResizeObserver(() => this._onResize());
  }

  /** A turn begins in a cell; its outputs are new. */
  begin(cellId: string): void {
    const { widgets, outerNode } = this._notebook;
    const cell = widgets.find(({ model }) => model.id === cellId)?.node;
    this._end();
    if (cell !== undefined) {
      this._cell = cell;
      // Its answer may have a line already, which is below the view if the prompt stands at its end.
      const prompt = cell.querySelector('.jp-Cell-inputWrapper') ?? cell;
      this._rule.begin({ ...this._places(cell), end: endOf(prompt) });
      outerNode.addEventListener('scroll', this._onScroll, { passive: true });
      this._observer.observe(cell);
      this._hold();
    }
  }

  /** The last turn that began has ended. */
  end(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._end(), SETTLE);
  }

  dispose(): void {
    this._end();
  }

  private _onResize(): void {
    const { outerNode } = this._notebook;
    const by =
      this._cell === null ? 0 : this._rule.grow(this._places(this._cell));
    if (by > 0) {
      outerNode.scrollTop += by;
      this._rule.scrolledTo(outerNode.scrollTop);
    }
  }

  private readonly _onScroll = (): void => {
    if (this._cell !== null) {
      this._rule.scroll(this._places(this._cell));
      this._hold();
    }
  };

  /** The browser keeps a cell below in its place, if it may, and moves the text away instead. */
  private _hold(): void {
    const { style } = this._notebook.outerNode;
    style.setProperty(
      'overflow-anchor',
      this._rule.isFollowing ? 'none' : null
    );
  }

  private _end(): void {
    window.clearTimeout(this._timer);
    this._observer.disconnect();
    if (this._cell !== null) {
      const { outerNode } = this._notebook;
      outerNode.removeEventListener('scroll', this._onScroll);
      outerNode.style.removeProperty('overflow-anchor');
      this._cell = null;
    }
  }

  private _places(cell: HTMLElement): IPlaces {
    const { outerNode } = this._notebook;
    const view = outerNode.getBoundingClientRect();
    const { scrollTop, scrollHeight, clientHeight } = outerNode;
    return {
      end: Math.max(endOf(cell), endOf(writtenBelow(cell))),
      viewTop: view.top,
      viewBottom: view.bottom,
      scrolled: scrollTop,
      isAtBottom: scrollTop + clientHeight >= scrollHeight - 1
    };
  }

  private readonly _notebook: Notebook;
  private readonly _observer: ResizeObserver;
  private readonly _rule = new FollowRule();
  /** The cell whose end is looked at. */
  private _cell: HTMLElement | null = null;
  private _timer: number | undefined;
}

function endOf(node: Element | null): number {
  return node?.getBoundingClientRect().bottom ?? -Infinity;
}

/** Return the next cell if the person writes in it. */
function writtenBelow(cell: HTMLElement): Element | null {
  const next = cell.nextElementSibling;
  return next?.contains(document.activeElement) ? next : null;
}
