import { MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel, Widget } from '@lumino/widgets';

import type { IMarkdownRenderer } from '../safe/markdown';
import { splitChunks } from '../turn/chunks';
import { GrowingText } from './dom';

/**
 * Markdown that may still grow.
 *
 * While it streams, finished pieces are rendered once and the rest stands as plain text; when it
 * ends the whole is rendered anew, so that what spans pieces (reference links, lists) comes right.
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

  /** Show `text`; a call must not begin before the one before it has ended. */
  async showText(text: string, streaming: boolean): Promise<void> {
    await (streaming ? this._showStreaming(text) : this._showWhole(text));
  }

  private async _showStreaming(text: string): Promise<void> {
    const { committed, tail } = splitChunks(text);
    if (this._shown.some((chunk, i) => chunk !== committed[i])) {
      this._dropRendered();
    }
    const added = committed.slice(this._shown.length);
    for (const chunk of added) {
      const widget = await this._render(chunk);
      if (this.isDisposed) {
        widget.dispose();
        return;
      }
      this.insertWidget(this.widgets.length - 1, widget);
      this._shown.push(chunk);
    }
    this._tailText.show(tail);
    this._tail.setHidden(tail.trim() === '');
  }

  private async _showWhole(text: string): Promise<void> {
    const whole = await this._render(text);
    if (this.isDisposed) {
      whole.dispose();
      return;
    }
    this._dropRendered();
    this.insertWidget(0, whole);
    this._shown = [text];
    this._tailText.show('');
    this._tail.hide();
  }

  private async _render(source: string): Promise<Widget> {
    const widget: IRenderMime.IRenderer = this._markdown.create();
    try {
      await widget.renderModel(
        new MimeModel({ data: { 'text/markdown': source }, trusted: false })
      );
      return widget;
    } catch (reason) {
      console.warn('A text of a turn is shown plain: no Markdown.', reason);
      widget.dispose();
      const plain = new Widget();
      plain.addClass('msgbook-Text-tail');
      plain.node.textContent = source;
      return plain;
    }
  }

  private _dropRendered(): void {
    for (const widget of this.widgets.slice(0, -1)) {
      widget.dispose();
    }
    this._shown = [];
  }

  private readonly _markdown: IMarkdownRenderer;
  private readonly _tail = new Widget();
  private readonly _tailText = new GrowingText();
  private _shown: string[] = [];
}
