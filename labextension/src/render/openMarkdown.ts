import { formulaAt, OPENER_SOURCE } from '../safe/formulas';
import { fenceAfter, type IFence } from './cuts';

/*
 * A text that still grows often ends within emphasis, code, a link or a formula. Shown as it is, its
 * marks would stand there as characters until the paragraph is complete. What is shown instead is the
 * text with what is open closed; what is saved and sent is never touched.
 */

/** A line of marks alone: it may become an underline, a rule, a fence or a row of a table. */
const MARKS_ALONE = /(?:^|\n)[ \t>]*[-+*=_#|:~`][-+*=_#|: \t~`]*$/;

/** What begins a block in a line. */
const BLOCK =
  /^[ \t]*(?:(?:[-+*>]|\d{1,9}[.)])(?=[ \t])[ \t]*|#{1,6}[ \t]+)+(?:\[[ x]\] )?/;

/** An open link or image without all of its address, and the beginning of a tag, at the end. */
const HALF_LINK = /!?\[([^[\]\n]*)\]\([^()\s]*$/;
const HALF_TAG = /<\/?[a-z]{0,8}$/i;

/** A diagram is not drawn before its text is complete. */
const DIAGRAM = /^([ \t>]*(?:`{3,}|~{3,})[ \t]*)mermaid\b/gim;

const OPENER = new RegExp(OPENER_SOURCE, 'y');

/** Characters after a single dollar that may still become its formula. */
const DOLLAR_REACH = 200;

/** Return the Markdown that shows a text that still grows. */
export function closedMarkdown(source: string): string {
  const text = source.replace(DIAGRAM, '$1');
  if (openFence(text) !== null) {
    return text.replace(/\n[ \t]*[`~]+$/, '\n');
  }
  if (openFence(text.slice(0, Math.max(0, text.lastIndexOf('\n')))) !== null) {
    return text; // its last line closes code
  }
  const start = lastParagraph(text);
  return text.slice(0, start) + closed(text.slice(start));
}

function openFence(text: string): IFence | null {
  return text
    .split('\n')
    .reduce<IFence | null>((open, line) => fenceAfter(line, open), null);
}

function lastParagraph(text: string): number {
  const found = /^(?:[^]*\n)?[ \t]*\n/.exec(text);
  return found === null ? 0 : found[0].length;
}

/** Return a paragraph with its open marks closed. */
function closed(paragraph: string): string {
  let text = paragraph;
  for (;;) {
    text = text.replace(MARKS_ALONE, '').replace(HALF_TAG, '');
    text = text.replace(/(?<!\\)\\$/, '');
    const { open, cut, verbatim } = new Scan(text).read();
    if (cut === text.length || verbatim !== '') {
      const shown = text.slice(0, cut).replace(HALF_LINK, '$1');
      let body = shown.trimEnd();
      const space = shown.slice(body.length);
      while (open.length > 0 && body.endsWith(open.at(-1)!)) {
        // Nothing stands in it yet.
        body = body.slice(0, -open.pop()!.length);
      }
      const marks = open.reverse().join('');
      return body + marks + space + asCharacters(verbatim);
    }
    text = text.slice(0, cut);
  }
}

/** Return a text in a spelling in which no character is a mark. */
function asCharacters(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, mark => `&#${mark.charCodeAt(0)};`);
}

/** What is open at the end of a paragraph. */
class Scan {
  constructor(private readonly _text: string) {
    this.cut = _text.length;
  }

  /** Marks that close what is open, the outermost first. */
  open: string[] = [];

  /** The text ends here: marks behind it do not say yet whether they open or close. */
  cut: number;

  /** The beginning of a formula, from `cut` on. */
  verbatim = '';

  read(): this {
    let begun = -1;
    while (this._at < this.cut) {
      const isFirst = this._at === 0 || this._text[this._at - 1] === '\n';
      if (isFirst && begun !== this._at) {
        begun = this._at;
        this._beginLine();
      } else {
        this._step(this._text[this._at]);
      }
    }
    return this;
  }

  /** Skip what begins a block, which ends all emphasis of the lines above. */
  private _beginLine(): void {
    const line = this._text.slice(this._at).split('\n', 1)[0];
    const marks = BLOCK.exec(line)?.[0] ?? '';
    this._isRow = line.trimStart().startsWith('|');
    if (marks !== '' || this._isRow) {
      this.open = [];
    }
    this._at += marks.length;
  }

  private _step(char: string): void {
    if (char === '$' || char === '\\') {
      this._formula();
    } else if (char === '`') {
      this._code();
    } else if (char === '*' || char === '_' || char === '~') {
      this._emphasis(char);
    } else {
      this._at += 1;
      this.open = char === '|' && this._isRow ? [] : this.open;
    }
  }

  private _formula(): void {
    const text = this._text;
    const found = formulaAt(text, this._at);
    if (found !== null) {
      this._at = found.end;
      return;
    }
    OPENER.lastIndex = this._at;
    const opener = OPENER.exec(text)?.[0];
    if (opener === undefined) {
      this._at += text[this._at] === '\\' ? 2 : 1;
    } else if (opener !== '$' || this._mayBeFormula()) {
      this.verbatim = text.slice(this._at);
      this.cut = this._at;
    } else {
      this._at += 1;
    }
  }

  private _mayBeFormula(): boolean {
    const rest = this._text.slice(this._at + 1);
    return /^[^\s\d]/.test(rest) && rest.length <= DOLLAR_REACH;
  }

  private _code(): void {
    const run = /`+/y;
    run.lastIndex = this._at;
    const [marks] = run.exec(this._text)!;
    const start = this._at + marks.length;
    const end = new RegExp(`(?<!\`)${marks}(?!\`)`, 'g');
    end.lastIndex = start;
    const found = end.exec(this._text);
    if (found !== null) {
      this._at = found.index + marks.length;
      return;
    }
    const body = this._text.slice(start).replace(/`+$/, '');
    if (body.trim() === '') {
      this.cut = this._at;
    } else if (start + body.length < this._text.length) {
      this.cut = start + body.length;
    } else {
      this.open.push(marks);
    }
    this._at = this.cut;
  }

  private _emphasis(char: string): void {
    const text = this._text;
    let end = this._at;
    while (text[end] === char) {
      end += 1;
    }
    const before = text[this._at - 1] ?? ' ';
    const after = text[end] ?? ' ';
    const isWithin =
      char === '_' &&
      /[\p{L}\p{N}]/u.test(before) &&
      /[\p{L}\p{N}]/u.test(after);
    let left = isWithin ? 0 : end - this._at;
    while (left > 0 && /\S/.test(before) && this._closes(char, left)) {
      left -= this.open.pop()!.length;
    }
    if (end === text.length && left > 0) {
      this.cut = end - left;
    } else if (left > 0 && /\S/.test(after)) {
      this._opens(char, left);
    }
    this._at = end;
  }

  private _closes(char: string, most: number): boolean {
    const last = this.open.at(-1) ?? '';
    return last.startsWith(char) && last.length <= most;
  }

  private _opens(char: string, length: number): void {
    if (char === '~') {
      this.open.push(...(length === 2 ? ['~~'] : []));
    } else {
      this.open.push(...(length % 2 === 1 ? [char] : []));
      this.open.push(...(length >= 2 ? [char + char] : []));
    }
  }

  private _at = 0;
  private _isRow = false;
}
