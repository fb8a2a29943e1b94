import type { CodeCell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Panel, PanelLayout, Widget } from '@lumino/widgets';

import { placeAtInput } from '../live/codeCells';
import type { IMarkdownRenderer } from '../safe/markdown';
import { asText, isObject } from '../turn/reading';
import { controlsVisible } from '../turn/text';
import { Disclosure } from './dom';
import { TextView } from './textView';

const PLACES = ['before', 'after'] as const;
type Place = (typeof PLACES)[number];

/** Characters of a folded text that its line shows. */
const GIST_LENGTH = 300;

/**
 * Prose that a message file has before and after the code of a cell, folded above and below the
 * editor.
 *
 * It is in the cell's metadata. A cell that has never been on the screen has no editor yet; its
 * prose is shown when it gets one.
 */
export class CodeProse {
  constructor(
    private readonly _cell: CodeCell,
    private readonly _markdown: IMarkdownRenderer,
    private readonly _trans: TranslationBundle
  ) {
    this._cell.disposed.connect(() => Signal.clearData(this));
    this._cell.model.metadataChanged.connect(this._update, this);
    void this._cell.ready.then(() => {
      this._isReady = true;
      this._update();
    });
  }

  private _update(): void {
    if (!this._isReady || this._cell.isDisposed) {
      return;
    }
    const metadata: unknown = this._cell.model.getMetadata('msgbook');
    for (const place of PLACES) {
      this._show(
        place,
        isObject(metadata) ? asText(metadata[place]) : undefined
      );
    }
  }

  private _show(place: Place, text: string | undefined): void {
    const shown = this._shown.get(place);
    if (shown?.text === text) {
      return;
    }
    shown?.dispose();
    this._shown.delete(place);
    if (text !== undefined) {
      const prose = new FoldedProse(place, text, this._markdown, this._trans);
      this._shown.set(place, prose);
      placeAtInput(this._cell, prose, place);
    }
  }

  private readonly _shown = new Map<Place, FoldedProse>();
  private _isReady = false;
}

/** One text, whose Markdown is rendered when it is opened for the first time. */
class FoldedProse extends Widget {
  constructor(
    place: Place,
    readonly text: string,
    markdown: IMarkdownRenderer,
    trans: TranslationBundle
  ) {
    const body = new Panel();
    const disclosure = new Disclosure('msgbook-Prose', body.node);
    super({ node: disclosure.node });
    this.addClass(`msgbook-mod-${place}`);
    body.addClass('msgbook-Prose-body');
    const layout = new PanelLayout();
    this.layout = layout;
    layout.addWidget(body);
    const label =
      place === 'before'
        ? trans.__('Text before the code')
        : trans.__('Text after the code');
    disclosure.label(label);
    const start = text.slice(0, GIST_LENGTH).replace(/\s+/g, ' ').trim();
    disclosure.gist(controlsVisible(start));
    const open = () => {
      const view = new TextView(
        markdown,
        trans.__('Shown as plain text: rendering it would block the page.')
      );
      body.addWidget(view);
      void view.showText(text, false);
    };
    this.node.addEventListener('toggle', open, { once: true });
  }
}
