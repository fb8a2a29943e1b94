import { MimeModel } from '@jupyterlab/rendermime';
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';
import { type IMarkdownRenderer, takesTooLong } from '../safe/markdown';
import { element, GrowingText } from './dom';

/** Characters of Markdown that are rendered in one task. */
const TASK_LENGTH = 4000;

/** A part of the text to render. */
interface IPart {
  /** Number of the rendered parts before it; later ones give way to it. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** A part that is rendered; it begins where the one before ends. */
interface IRendered {
  readonly end: number;
  readonly nodes: readonly ChildNode[];
}

/**
 * Markdown that may still grow.
 *
 * Each complete unit is rendered once, alone, and its nodes stand in one element as if the text had
 * been rendered whole. Pieces of the last unit are rendered before it is complete, and give way to
 * it. A text that may define reference links is rendered whole when it ends. Nodes that did not
 * change stay, and with them a person's selection. A long text is rendered in many short tasks.
 *
 * Text that is not rendered is shown as plain text, so all of it is always visible. That includes
 * everything from the first unit on that would take too long.
 */
export class TextView extends Panel {
  /** @param plain - Explains why the rest of a text is shown as plain text. */
  constructor(
    private readonly _markdown: IMarkdownRenderer,
    plain: string
  ) {
    super();
    this._note = element('div', 'msgbook-Text-note', plain);
    this.addClass('msgbook-Text');
    // The classes that the style sheet of JupyterLab has for Markdown.
    this._body.addClass('jp-RenderedHTMLCommon');
    this._body.addClass('jp-RenderedMarkdown');
    this._body.node.dataset.mimeType = 'text/markdown';
    this._body.node.append(this._tail);
    this._tail.append(this._tailText.node);
    this.addWidget(this._body);
  }

  /** Show `text` at once; the promise resolves when its Markdown is rendered. */
  showText(text: string, streaming: boolean): Promise<void> {
    if (this._hasEnded || !text.startsWith(this._text)) {
      this._cuts = new Cuts();
      this._dropOthers(text);
    }
    this._text = text;
    this._hasEnded = !streaming;
    this._cuts.read(text, !streaming);
    if (!streaming && isOneUnit(text) && !takesTooLong(text)) {
      this._cuts.units = [text.length];
    }
    this._showTail();
    if (!this._isRendering) {
      this._done = this._render();
    }
    return this._done;
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._typeset(this._rendered.flatMap(({ nodes }) => nodes));
  }

  /** Drop the parts that `text` does not begin with. */
  private _dropOthers(text: string): void {
    const first = this._rendered.findIndex(
      ({ end }) => !text.startsWith(this._text.slice(0, end))
    );
    if (first !== -1) {
      const dropped = this._rendered.splice(first);
      dropped.flatMap(({ nodes }) => nodes).forEach(node => node.remove());
    }
  }

  private async _render(): Promise<void> {
    this._isRendering = true;
    try {
      let part = this._next();
      while (part !== null && !this.isDisposed) {
        const source = this._text.slice(part.start, part.end);
        const nodes = await this._nodesOf(source);
        if (this._isWanted(part, source)) {
          this._joinItems(part, source, nodes);
          this._add(part, nodes);
          this._showTail();
        }
        part = this._next();
        await (part === null ? null : nextTask());
      }
    } finally {
      this._isRendering = false;
    }
  }

  /** Return the next part to render; null if there is none. */
  private _next(): IPart | null {
    const { units, pieces } = this._cuts;
    const ends = new Set(units);
    const isOpen = this._rendered.findIndex(({ end }) => !ends.has(end));
    const index = isOpen === -1 ? this._rendered.length : isOpen;
    const start = this._rendered[index - 1]?.end ?? 0;
    const next = units.filter(end => end > start);
    if (next.length > 0) {
      return this._nextUnits(index, start, next);
    }
    const from = this._rendered.at(-1)?.end ?? 0;
    const end = pieces.find(end => end > from);
    return end === undefined
      ? null
      : this._affordable({ index: this._rendered.length, start: from, end });
  }

  /** Return as many units as one task can render. */
  private _nextUnits(
    index: number,
    start: number,
    ends: readonly number[]
  ): IPart | null {
    const fitting = ends.filter(end => end - start <= TASK_LENGTH);
    const part = { index, start, end: fitting.at(-1) ?? ends[0] };
    return (
      this._affordable(part) ?? this._affordable({ ...part, end: ends[0] })
    );
  }

  private _affordable(part: IPart): IPart | null {
    const source = this._text.slice(part.start, part.end);
    if (source === this._costly || takesTooLong(source)) {
      this._costly = source;
      return null;
    }
    return part;
  }

  /** Return whether a part that was rendered is still what is missing. */
  private _isWanted({ index, start, end }: IPart, source: string): boolean {
    const next = this._next();
    const isPart =
      this._cuts.units.includes(end) || this._cuts.pieces.includes(end);
    return (
      !this.isDisposed &&
      isPart &&
      next?.index === index &&
      next.start === start &&
      this._text.slice(start, end) === source
    );
  }

  /** Let the next item of a growing list stand below the last one as it will in the whole list. */
  private _joinItems(
    { end }: IPart,
    source: string,
    nodes: readonly ChildNode[]
  ): void {
    const list = nodes.filter(node => node instanceof HTMLElement).at(-1);
    const isPiece = !this._cuts.units.includes(end);
    if (isPiece && list !== undefined && !/\n[ \t]*\n$/.test(source)) {
      list.classList.add('msgbook-mod-open');
    }
  }

  /** Put nodes in the place of all that was rendered of a part, but for nodes that are equal. */
  private _add({ index, end }: IPart, nodes: ChildNode[]): void {
    const old = this._rendered.splice(index).flatMap(({ nodes }) => nodes);
    const equal = nodes.findIndex((node, i) => !old[i]?.isEqualNode(node));
    const kept = old.slice(0, equal === -1 ? nodes.length : equal);
    const fresh = nodes.slice(kept.length);
    old.slice(kept.length).forEach(node => node.remove());
    const tail = this._tail.parentNode === null ? null : this._tail;
    const all = document.createDocumentFragment();
    all.append(...fresh);
    this._body.node.insertBefore(all, tail);
    this._rendered.push({ end, nodes: [...kept, ...fresh] });
    this._typeset(fresh);
  }

  private _typeset(nodes: readonly ChildNode[]): void {
    for (const node of this.isAttached ? nodes : []) {
      if (node instanceof HTMLElement) {
        this._markdown.typeset(node);
      }
    }
  }

  private async _nodesOf(source: string): Promise<ChildNode[]> {
    const widget = this._markdown.create();
    try {
      await widget.renderModel(
        new MimeModel({ data: { 'text/markdown': source }, trusted: false })
      );
      if (hasContent(widget.node) || source.trim() === '') {
        return Array.from(widget.node.childNodes);
      }
    } catch (reason) {
      console.warn('A text of a turn is shown plain: no Markdown.', reason);
    } finally {
      widget.dispose();
    }
    return [element('div', 'msgbook-Text-tail', source)];
  }

  private _showTail(): void {
    const tail = this._text.slice(this._rendered.at(-1)?.end ?? 0);
    this._tailText.show(tail);
    const isEmpty = tail.trim() === '';
    if (this._hasEnded && !isEmpty && this._next() === null) {
      this._tail.prepend(this._note);
    } else {
      this._note.remove();
    }
    this._tail.classList.toggle('lm-mod-hidden', isEmpty);
    // The last node has less space below; while the text grows, none is the last.
    if (this._hasEnded && isEmpty) {
      this._tail.remove();
    } else if (this._tail.parentNode === null) {
      this._body.node.append(this._tail);
    }
  }

  private readonly _note: HTMLElement;
  private readonly _body = new Widget();
  private readonly _tail = element('div', 'msgbook-Text-tail');
  private readonly _tailText = new GrowingText();
  private _text = '';
  private _hasEnded = false;
  private _cuts = new Cuts();
  /** The rendered parts; together they are the beginning of `_text`. */
  private readonly _rendered: IRendered[] = [];
  /** Markdown that takes too long, as far as is known. */
  private _costly = '';
  private _isRendering = false;
  private _done: Promise<void> = Promise.resolve();
}

/** Return whether a node has any visible content. */
function hasContent(node: HTMLElement): boolean {
  return (
    node.textContent?.trim() !== '' ||
    node.querySelector('img, input, hr, mjx-container') !== null
  );
}

/** Resolve in a task of its own, so that the page can draw and answer a person before. */
export function nextTask(): Promise<void> {
  const { scheduler } = globalThis as {
    scheduler?: { yield?(): Promise<void> };
  };
  return (
    scheduler?.yield?.() ?? new Promise(done => window.setTimeout(done, 0))
  );
}

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
