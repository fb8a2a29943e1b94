import { visible } from '../turn/text';
import type { ICode } from './languages';

/** Columns to the next stop of a tab, as browsers show it. */
const TAB = 8;

/** Columns of blanks within a line after which nobody expects more of it. */
const WIDEST_GAP = 60;

/** Empty lines after which nobody expects more code. */
const TALLEST_GAP = 10;

/** Marks that stand on one letter, more than any script needs; they cover what is above and below. */
const PILE = /\p{M}{5}/u;

/** Return whether code shows all that it holds: nothing is invisible, covered or far from the rest. */
export function isSeen({ text }: ICode): boolean {
  const lines = text.trimEnd().split('\n');
  return (
    visible(text) === text &&
    !PILE.test(text) &&
    lines.every(line => widestGap(line) <= WIDEST_GAP) &&
    mostEmptyLines(lines) <= TALLEST_GAP
  );
}

/** Return the columns of the widest blank that stands before something. */
function widestGap(line: string): number {
  let column = 0;
  let start = 0;
  let widest = 0;
  for (const character of line) {
    if (character === '\t') {
      column += TAB - (column % TAB);
    } else {
      column += 1;
      if (character !== ' ') {
        widest = Math.max(widest, column - 1 - start);
        start = column;
      }
    }
  }
  return widest;
}

function mostEmptyLines(lines: readonly string[]): number {
  let empty = 0;
  let most = 0;
  for (const line of lines) {
    empty = line.trim() === '' ? empty + 1 : 0;
    most = Math.max(most, empty);
  }
  return most;
}

/** Pixels by which layouts are rounded. */
const ROUNDED = 2;

/**
 * Return whether all of an element is in sight at once: it reaches neither beyond the window nor
 * beyond a box that cuts it off, and nothing in it has to be scrolled.
 */
export function isInView(element: HTMLElement): boolean {
  const shown = element.getBoundingClientRect();
  const fits = (box: Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>) =>
    shown.left >= box.left - ROUNDED &&
    shown.top >= box.top - ROUNDED &&
    shown.right <= box.right + ROUNDED &&
    shown.bottom <= box.bottom + ROUNDED;
  const { innerWidth: right, innerHeight: bottom } = window;
  if (isCut(element) || !fits({ left: 0, top: 0, right, bottom })) {
    return false;
  }
  // What the body cuts off is the window's affair: it can have no height at all.
  for (
    let box = element.parentElement;
    box !== null && box !== document.body;
    box = box.parentElement
  ) {
    if (cutsOff(box) && !fits(box.getBoundingClientRect())) {
      return false;
    }
  }
  return true;
}

function isCut(element: HTMLElement): boolean {
  return (
    element.scrollWidth > element.clientWidth + ROUNDED ||
    element.scrollHeight > element.clientHeight + ROUNDED
  );
}

function cutsOff(box: Element): boolean {
  const { overflowX, overflowY } = getComputedStyle(box);
  return ![overflowX, overflowY].every(o => o === 'visible' || o === '');
}
