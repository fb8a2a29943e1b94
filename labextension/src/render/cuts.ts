/** A line that begins an item of a list; the second half may still become one. */
const ITEM = /^(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
const MAYBE_ITEM = /^(?:[-+*]|\d{1,9}[.)]?)$/;

/**
 * Places at which a growing Markdown text is cut.
 *
 * A unit is a part that looks alone as it does in the whole, whatever follows. A piece is a part of
 * the last unit that can be shown before the unit is complete: an item of a list, whose spacing may
 * depend on later ones. Both end where a line without indentation follows a blank one, outside of
 * code fences; a piece also where the next item follows. Reference links, footnotes and
 * `<details>` are the exception: see `isOneUnit`.
 *
 * Reads each line once, however often the text grows.
 */
export class Cuts {
  /** Ends of complete units, ascending. */
  units: number[] = [];
  /** Ends of pieces of the unit that is not complete, ascending. */
  pieces: number[] = [];

  /** Take the text, which begins with the one before; an ended text is complete. */
  read(text: string, ended: boolean): void {
    for (let end = this._lineEnd(text); end !== -1; end = this._lineEnd(text)) {
      this._readLine(text.slice(this._at, end), true);
      this._at = end + 1;
    }
    // The beginning of a line tells enough for a cut before it.
    this._readLine(text.slice(this._at), false);
    if (ended && text.length > (this.units.at(-1) ?? 0)) {
      this.units.push(text.length);
      this.pieces = [];
    }
  }

  private _lineEnd(text: string): number {
    return text.indexOf('\n', this._at);
  }

  private _readLine(line: string, isWhole: boolean): void {
    const isItem = ITEM.test(line);
    if (this._mayCut && /^\S/.test(line)) {
      if (!isWhole && MAYBE_ITEM.test(line)) {
        return;
      }
      this._cut(isItem);
    } else if (isItem && this._isInItem()) {
      this._cut(true);
    }
    if (!isWhole) {
      return;
    }
    const before = this._fence;
    this._fence = this._fenceAfter(line);
    const isCode = before !== null || this._fence !== null;
    this._hasItem ||= !isCode && ITEM.test(line.trimStart());
    const isBlank = line.trim() === '';
    this._hasText ||= !isBlank;
    this._mayCut =
      this._fence === null && isBlank && this._hasText && !this._isUnsure;
  }

  private _cut(isItem: boolean): void {
    if (isItem && this._hasItem) {
      this.pieces.push(this._at);
    } else {
      this.units.push(this._at);
      this.pieces = [];
      this._hasItem = false;
    }
    this._hasText = false;
    this._mayCut = false;
  }

  /** Return whether the last line is one of an item of a list, and none of code. */
  private _isInItem(): boolean {
    return (
      this._hasItem && this._hasText && this._fence === null && !this._isUnsure
    );
  }

  private _fenceAfter(line: string): IFence | null {
    const after = fenceAfter(line, this._fence);
    const isClosing = /^\s*(?:`{3}|~{3})/.test(line);
    if (this._fence !== null && after === null && !isClosing) {
      // Only a list ends its fences where the indentation ends, and it may have ended before.
      this._isUnsure ||= this._hasItem;
      return this._fence;
    }
    return after;
  }

  /** Beginning of the first line that is not read to its end. */
  private _at = 0;
  private _fence: IFence | null = null;
  /** Whether the unit has an item of a list. */
  private _hasItem = false;
  /** Whether anything stands behind the last cut. */
  private _hasText = false;
  private _mayCut = false;
  /** Whether it is not known what is code from here on: the rest is one unit. */
  private _isUnsure = false;
}

/** A line that begins the definition of a reference link, in a list or quote, too. */
const DEFINITION =
  /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]+)*\[(?:\\.|[^[\]\\])+\]:[ \t]*(?:\n[ \t]*)?\S+[ \t]*(?:$|["'(])/m;

/** A line that begins a footnote, or an element around blocks that may be far apart. */
const FAR =
  /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]+)*(?:\[\^[^\]\s]+\]:|<details>)/im;

/**
 * Return whether parts of a text may look different alone than in the whole: a definition of a link
 * or a footnote changes what stands anywhere in it, `<details>` stands around other blocks.
 */
export function isOneUnit(text: string): boolean {
  return (
    (text.includes(']:') && (DEFINITION.test(text) || FAR.test(text))) ||
    (/<details>/i.test(text) && FAR.test(text))
  );
}

/** An open code fence. */
export interface IFence {
  /** The backticks or tildes that opened it. */
  readonly marker: string;
  /** Columns of white space before them. */
  readonly indent: number;
}

const FENCE = /^(`{3,}|~{3,})([\s\S]*)$/;

/**
 * Return the fence that is open after `line`, given the one that was open before it.
 *
 * It is a guess that does not parse lists. A fence in a list item ends with the item, so a line
 * with less indentation than the fence counts as outside.
 */
export function fenceAfter(line: string, open: IFence | null): IFence | null {
  const text = line.trim();
  const [, marker = '', info = ''] = FENCE.exec(text) ?? [];
  const indent = columns(line);
  if (open !== null) {
    if (
      info === '' &&
      marker.startsWith(open.marker) &&
      indent <= Math.max(3, open.indent)
    ) {
      return null;
    }
    if (text === '' || indent >= open.indent) {
      return open;
    }
  }
  const opens = marker !== '' && !(marker[0] === '`' && info.includes('`'));
  return opens ? { marker, indent } : null;
}

function columns(line: string): number {
  const space = /^[ \t]*/.exec(line)![0];
  return space.replaceAll('\t', '    ').length;
}
