import { MimeModel } from '@jupyterlab/rendermime';
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';
import { type IMarkdownRenderer, takesTooLong } from '../safe/markdown';
import { Cuts, isOneUnit } from './cuts';
import { element, GrowingText } from './dom';
import { morph, rememberFormulas } from './morph';
import { closedMarkdown } from './openMarkdown';

/** Characters of Markdown that are rendered in one task. */
const TASK_LENGTH = 4000;

/** Share of the time in which the end of a growing text is drawn again and again. */
const SKETCHING = 0.1;

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
 * it; the rest is sketched again and again, with its open marks closed. A text that may define reference links is rendered whole when it ends. Nodes that did not
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
      this._dropSketch();
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
    this._sketchSoon();
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
    const sketched = this._sketch?.nodes ?? [];
    this._sketch = null;
    const shown = this._show([...old, ...sketched], nodes);
    this._rendered.push({ end, nodes: shown });
  }

  private _show(
    old: readonly ChildNode[],
    fresh: readonly ChildNode[]
  ): ChildNode[] {
    const tail = this._tail.parentNode === null ? null : this._tail;
    const { nodes, added } = morph(this._body.node, old, fresh, tail);
    this._typeset(added);
    return nodes;
  }

  /** Sketch the text that is not rendered: now, or when the last sketch was long enough ago. */
  private _sketchSoon(): void {
    window.clearTimeout(this._timer);
    if (this._isSketching || !this._canSketch()) {
      return;
    }
    const pause = this._sketch && this._sketchAt - performance.now();
    if (pause !== null && pause > 0) {
      this._timer = window.setTimeout(() => void this._drawSketch(), pause);
    } else {
      void this._drawSketch();
    }
  }

  private async _drawSketch(): Promise<void> {
    const from = this._renderedEnd;
    const source = this._text.slice(from);
    const begun = performance.now();
    this._isSketching = true;
    try {
      const nodes = await this._nodesOf(closedMarkdown(source));
      const isWanted =
        from === this._renderedEnd && this._text.startsWith(source, from);
      if (isWanted && !this._hasEnded && !this.isDisposed) {
        const shown = this._show(this._sketch?.nodes ?? [], nodes);
        this._sketch = { end: from + source.length, nodes: shown };
        this._showTail();
      }
    } finally {
      this._isSketching = false;
    }
    const now = performance.now();
    this._sketchAt = now + (now - begun) / SKETCHING;
    if ((this._sketch?.end ?? from) < this._text.length) {
      this._sketchSoon();
    }
  }

  private _canSketch(): boolean {
    const source = this._text.slice(this._renderedEnd);
    return (
      !this._hasEnded &&
      !this.isDisposed &&
      source.length <= TASK_LENGTH &&
      source.trim() !== '' &&
      !takesTooLong(source)
    );
  }

  private _dropSketch(): void {
    this._sketch?.nodes.forEach(node => node.remove());
    this._sketch = null;
  }

  private get _renderedEnd(): number {
    return this._rendered.at(-1)?.end ?? 0;
  }

  private _typeset(nodes: readonly ChildNode[]): void {
    for (const node of this.isAttached ? nodes : []) {
      if (node instanceof HTMLElement) {
        rememberFormulas(node);
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
    const isPlain = this._hasEnded && this._next() === null;
    if (isPlain) {
      this._dropSketch();
    }
    const tail = this._text.slice(this._shownEnd);
    this._tailText.show(tail);
    const isEmpty = tail.trim() === '';
    if (isPlain && !isEmpty) {
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

  /** End of what is shown without the tail. What a sketch does not show yet, the next one will. */
  private get _shownEnd(): number {
    const isNext = this._sketch !== null && this._canSketch();
    return isNext
      ? this._text.length
      : (this._sketch?.end ?? this._renderedEnd);
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
  /** What shows the text behind them up to its `end`. */
  private _sketch: IRendered | null = null;
  private _isSketching = false;
  private _timer: number | undefined;
  /** When the next sketch may be drawn. */
  private _sketchAt = 0;
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
