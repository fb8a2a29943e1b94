import { MimeModel } from '@jupyterlab/rendermime';
import { Panel, Widget } from '@lumino/widgets';

import type { IMarkdownRenderer } from '../safe/markdown';
import { splitChunks } from '../turn/chunks';
import { GrowingText } from './dom';

/**
 * Markdown that may still grow.
 *
 * While it streams, finished pieces are rendered once and the rest stands as plain text; when it
 * ends the whole is rendered anew, so that what spans pieces (reference links, lists) comes right.
 * What is not rendered, not yet or not ever, stands as plain text: all of it is always there.
 */
export class TextView extends Panel {
  constructor(markdown: IMarkdownRenderer) {
    super();
    this.addClass('msgbook-Text');
    this._markdown = markdown;
    this._tail.addClass('msgbook-Text-tail');
    this._tail.node.append(this._tailText.node);
    this.addWidget(this._tail);
  }

  /** Show `text` at once; the promise resolves when its Markdown is rendered. */
  showText(text: string, streaming: boolean): Promise<void> {
    this._text = text;
    this._pieces = streaming ? splitChunks(text).committed : [text];
    if (!text.startsWith(this._rendered.join(''))) {
      this._dropRendered();
    }
    this._showTail();
    if (!this._rendering) {
      this._rendering = true;
      this._done = this._renderPieces();
    }
    return this._done;
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
          this._dropRendered();
        }
        this._rendered.push(piece);
        this.insertWidget(this.widgets.length - 1, widget);
        this._showTail();
      }
    } finally {
      this._rendering = false;
    }
  }

  /** What to render next, null if nothing. */
  private _nextPiece(): string | null {
    return (
      this._pieces[this._isBeginning() ? this._rendered.length : 0] ?? null
    );
  }

  /** Whether what is rendered can stay, and be added to. */
  private _isBeginning(): boolean {
    return this._rendered.every((piece, i) => piece === this._pieces[i]);
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
    const tail = this._text.slice(this._rendered.join('').length);
    this._tailText.show(tail);
    this._tail.setHidden(tail.trim() === '');
  }

  private _dropRendered(): void {
    for (const widget of this.widgets.slice(0, -1)) {
      widget.dispose();
    }
    this._rendered = [];
  }

  private readonly _markdown: IMarkdownRenderer;
  private readonly _tail = new Widget();
  private readonly _tailText = new GrowingText();
  private _text = '';
  /** The Markdown sources that `_text` consists of, but for what still grows. */
  private _pieces: readonly string[] = [];
  /** Those of them that have a widget; joined, they are the beginning of `_text`. */
  private _rendered: string[] = [];
  private _rendering = false;
  private _done: Promise<void> = Promise.resolve();
}

/** Whether there is anything to see. */
function hasContent(node: HTMLElement): boolean {
  return (
    node.textContent?.trim() !== '' ||
    node.querySelector('img, input, hr, mjx-container') !== null
  );
}
