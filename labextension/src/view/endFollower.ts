import type { Notebook } from '@jupyterlab/notebook';
import { ActionWatch } from './openingPlace';

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

/** What says that a person is elsewhere, or writes, since a cell was run. */
const ELSEWHERE = ['wheel', 'pointerdown', 'touchstart', 'beforeinput'];

/** Pixels of a prompt that have to be in view for it to be seen. */
const LINE = 24;

/** Class of a view that follows an end. */
const FOLLOWING = 'msgbook-mod-following';

/** Part of the view that a prompt may fill when the head of its answer is shown. */
const PROMPT_PART = 0.5;

/** Lets the view of a notebook follow the end of its running answer. */
export class EndFollower {
  constructor(private readonly _notebook: Notebook) {
    this._observer = new ResizeObserver(() => this._onResize());
  }

  /** A person runs a cell; of several, the last one. */
  schedule(cellId: string): void {
    this._person?.dispose();
    this._person = new ActionWatch(this._notebook.node, ELSEWHERE);
    this._scheduled = cellId;
  }

  /** A turn begins in a cell; its outputs are new. */
  begin(cellId: string): void {
    const { widgets, outerNode } = this._notebook;
    const index = widgets.findIndex(({ model }) => model.id === cellId);
    const cell = widgets[index]?.node;
    this._end();
    if (cell !== undefined) {
      this._cell = cell;
      this._beginAt(cell);
      outerNode.addEventListener('scroll', this._onScroll, { passive: true });
      this._observer.observe(cell);
      if (this._isLeft(cellId, index)) {
        void this._showHead(cell, index);
      }
    }
  }

  /** The last turn that began has ended. */
  end(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._end(), SETTLE);
  }

  dispose(): void {
    this._end();
    this._person?.dispose();
  }

  private _beginAt(cell: HTMLElement): void {
    // Its answer may have a line already, which is below the view if the prompt stands at its end.
    this._rule.begin({ ...this._places(cell), end: endOf(promptOf(cell)) });
    this._hold();
  }

  /**
   * Return whether the view went on to the next cell, past the answer that begins.
   *
   * That is JupyterLab's way when a cell is run. An old answer stands between the two until then.
   */
  private _isLeft(cellId: string, index: number): boolean {
    const { activeCellIndex, outerNode, widgets } = this._notebook;
    const isRun = this._scheduled === cellId && !this._person?.hasActed;
    if (!isRun || ![index, index + 1].includes(activeCellIndex)) {
      return false;
    }
    const seen = outerNode.getBoundingClientRect().top + LINE;
    const first = widgets.findIndex(
      ({ node }) => node.offsetHeight > 0 && endOf(node) > seen
    );
    return first === index
      ? endOf(promptOf(widgets[index].node)) < seen
      : index < first;
  }

  /** Scroll to a prompt and the head of its answer. */
  private async _showHead(cell: HTMLElement, index: number): Promise<void> {
    const { outerNode } = this._notebook;
    await this._notebook.scrollToItem(index, 'start', 0).catch(() => undefined);
    if (this._cell === cell) {
      const { top, height } = outerNode.getBoundingClientRect();
      const most = top + height * PROMPT_PART;
      outerNode.scrollTop += Math.max(0, endOf(promptOf(cell)) - most);
      this._beginAt(cell);
    }
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
    // A class, since JupyterLab sets the style itself, by its windowing mode.
    this._notebook.outerNode.classList.toggle(
      FOLLOWING,
      this._rule.isFollowing
    );
  }

  private _end(): void {
    window.clearTimeout(this._timer);
    this._observer.disconnect();
    if (this._cell !== null) {
      const { outerNode } = this._notebook;
      outerNode.removeEventListener('scroll', this._onScroll);
      outerNode.classList.remove(FOLLOWING);
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

  private readonly _observer: ResizeObserver;
  private readonly _rule = new FollowRule();
  /** The cell whose end is looked at. */
  private _cell: HTMLElement | null = null;
  private _timer: number | undefined;
  /** The cell that was run last, and whether the person has done something since. */
  private _scheduled: string | null = null;
  private _person: ActionWatch | null = null;
}

function promptOf(cell: HTMLElement): Element {
  return cell.querySelector('.jp-Cell-inputWrapper') ?? cell;
}

function endOf(node: Element | null): number {
  return node?.getBoundingClientRect().bottom ?? -Infinity;
}

/** Return the next message if the person is in its cell; it may have an old answer. */
function writtenBelow(cell: HTMLElement): Element | null {
  const next = cell.nextElementSibling;
  return next instanceof HTMLElement && next.contains(document.activeElement)
    ? promptOf(next)
    : null;
}
