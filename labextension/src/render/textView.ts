import { MimeModel } from '@jupyterlab/rendermime';
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';

import type { IMarkdownRenderer } from '../safe/markdown';
import { takesTooLong } from '../safe/markdownCost';
import { Cuts, isOneUnit } from '../turn/chunks';
import { element, GrowingText } from './dom';
import { nextTask } from './nextTask';

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
  constructor(markdown: IMarkdownRenderer, plain: string) {
    super();
    this._note = element('div', 'msgbook-Text-note', plain);
    this._markdown = markdown;
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

  private readonly _markdown: IMarkdownRenderer;
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
