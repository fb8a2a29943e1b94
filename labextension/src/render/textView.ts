import { MimeModel } from '@jupyterlab/rendermime';
import { Panel, Widget } from '@lumino/widgets';

import type { IMarkdownRenderer } from '../safe/markdown';
import { takesTooLong } from '../safe/markdownCost';
import { splitChunks } from '../turn/chunks';
import { element, GrowingText } from './dom';

/** Markdown that is rendered. */
interface IRendered {
  readonly source: string;
  /** Copy of the widget before formulas were drawn in it; null if it will not be replaced. */
  readonly copy: Node | null;
}

/**
 * Markdown that may still grow.
 *
 * While it streams, finished pieces are rendered once and the rest is plain text. At the end the
 * whole text is rendered again, so that reference links and lists across pieces come out right.
 * Pieces that did not change stay, and with them a person's selection. Text that is not rendered is
 * shown as plain text, so all of it is always visible. That includes everything from the first
 * piece on that would take too long.
 */
export class TextView extends Panel {
  /** @param plain - Explains why the rest of a text is shown as plain text. */
  constructor(markdown: IMarkdownRenderer, plain: string) {
    super();
    this._note = element('div', 'msgbook-Text-note', plain);
    this.addClass('msgbook-Text');
    this._markdown = markdown;
    this._tail.addClass('msgbook-Text-tail');
    this._tail.node.append(this._tailText.node);
    this.addWidget(this._tail);
  }

  /** Show `text` at once; the promise resolves when its Markdown is rendered. */
  showText(text: string, streaming: boolean): Promise<void> {
    this._text = text;
    this._streaming = streaming;
    this._pieces = this._renderable(text, streaming);
    if (!text.startsWith(joined(this._rendered))) {
      this._dropRendered(0);
    }
    this._showTail();
    if (!this._rendering) {
      this._rendering = true;
      this._done = this._renderPieces();
    }
    return this._done;
  }

  /** Return the complete pieces to render, up to the first that would take too long. */
  private _renderable(text: string, streaming: boolean): readonly string[] {
    if (!streaming && !takesTooLong(text)) {
      return [text];
    }
    const { committed, tail } = splitChunks(text);
    const pieces = streaming ? committed : [...committed, tail];
    const end = pieces.findIndex(
      (piece, i) => this._rendered[i]?.source !== piece && takesTooLong(piece)
    );
    return end === -1 ? pieces : pieces.slice(0, end);
  }

  private async _renderPieces(): Promise<void> {
    try {
      for (;;) {
        const piece = this._nextPiece();
        if (piece === null || this.isDisposed) {
          return;
        }
        const widget = await this._render(piece);
        if (this.isDisposed || piece !== this._nextPiece()) {
          widget.dispose();
          continue;
        }
        if (!this._isBeginning()) {
          this._replace(piece, widget);
        } else {
          this._add(piece, widget);
        }
        this._showTail();
      }
    } finally {
      this._rendering = false;
    }
  }

  private _add(source: string, widget: Widget): void {
    const copy = this._streaming ? widget.node.cloneNode(true) : null;
    this._rendered.push({ source, copy });
    this.insertWidget(this.widgets.length - 1, widget);
  }

  /** Replace the rendered pieces by the first new one, but for nodes that are equal in both. */
  private _replace(piece: string, widget: Widget): void {
    this._dropRendered(takeBeginning(this._rendered, widget.node));
    const rest = piece.slice(joined(this._rendered).length);
    const kept = this._rendered.map(({ source }) => source);
    const pieces = [...kept, rest, ...this._pieces.slice(1)];
    this._pieces = pieces.filter(source => source !== '');
    if (rest === '') {
      widget.dispose();
    } else {
      this._add(rest, widget);
    }
  }

  /** Return the next piece to render; null if there is none. */
  private _nextPiece(): string | null {
    return (
      this._pieces[this._isBeginning() ? this._rendered.length : 0] ?? null
    );
  }

  /** Return whether the rendered pieces are still the first ones. */
  private _isBeginning(): boolean {
    return this._rendered.every(({ source }, i) => source === this._pieces[i]);
  }

  private async _render(source: string): Promise<Widget> {
    const widget = this._markdown.create();
    try {
      await widget.renderModel(
        new MimeModel({ data: { 'text/markdown': source }, trusted: false })
      );
      if (hasContent(widget.node) || source.trim() === '') {
        return widget;
      }
    } catch (reason) {
      console.warn('A text of a turn is shown plain: no Markdown.', reason);
    }
    widget.dispose();
    const plain = new Widget();
    plain.addClass('msgbook-Text-tail');
    plain.node.textContent = source;
    return plain;
  }

  private _showTail(): void {
    const tail = this._text.slice(joined(this._rendered).length);
    this._tailText.show(tail);
    if (!this._streaming && this._pieces.join('') !== this._text) {
      this._tail.node.prepend(this._note);
    } else {
      this._note.remove();
    }
    this._tail.setHidden(tail.trim() === '');
  }

  private _dropRendered(from: number): void {
    for (const widget of this.widgets.slice(from, -1)) {
      widget.dispose();
    }
    this._rendered.splice(from);
  }

  private readonly _markdown: IMarkdownRenderer;
  private readonly _note: HTMLElement;
  private readonly _tail = new Widget();
  private readonly _tailText = new GrowingText();
  private _text = '';
  private _streaming = false;
  /** The complete Markdown pieces of `_text`. */
  private _pieces: readonly string[] = [];
  /** The rendered pieces; joined, they are the beginning of `_text`. */
  private readonly _rendered: IRendered[] = [];
  private _rendering = false;
  private _done: Promise<void> = Promise.resolve();
}

function joined(rendered: readonly IRendered[]): string {
  return rendered.map(({ source }) => source).join('');
}

/**
 * Remove from `node` the leading nodes that `rendered` has, too; return the number of equal pieces.
 */
function takeBeginning(rendered: readonly IRendered[], node: Node): number {
  // Copied once: a long text has thousands of pieces.
  const all = Array.from(node.childNodes);
  let taken = 0;
  for (const [index, { copy }] of rendered.entries()) {
    const nodes = Array.from(copy?.childNodes ?? []);
    const first = all.slice(taken, taken + nodes.length);
    if (copy === null || !nodes.every((one, i) => one.isEqualNode(first[i]))) {
      return index;
    }
    first.forEach(one => one.remove());
    taken += nodes.length;
  }
  return rendered.length;
}

/** Return whether a node has any visible content. */
function hasContent(node: HTMLElement): boolean {
  return (
    node.textContent?.trim() !== '' ||
    node.querySelector('img, input, hr, mjx-container') !== null
  );
}
