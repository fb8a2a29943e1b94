import type { TranslationBundle } from '@jupyterlab/translation';

import { diffLines, diffRows } from '../turn/diff';
import { visible } from '../turn/text';
import { element, setText } from './dom';
import { ScrolledBox } from './scrolledBox';

/** Whether the reader of this page wants to see changes side by side. */
let sideBySide = false;

/** A unified diff, in one column or side by side; each line keeps its sign. Any other text is one column. */
export class DiffView {
  constructor(diff: string, trans: TranslationBundle) {
    this._diff = visible(diff);
    this._isDiff = diffLines(this._diff).some(({ kind }) => kind === 'hunk');
    this._trans = trans;
    this._box.setAttribute(
      'aria-label',
      this._isDiff ? trans.__('Changes') : trans.__('What would be done')
    );
    this._toggle.type = 'button';
    this._toggle.addEventListener('click', () => {
      sideBySide = !sideBySide;
      this._show();
    });
    this._scrolled = new ScrolledBox(this._box, trans);
    this.node = element(
      'div',
      'msgbook-DiffView',
      ...(this._isDiff ? [this._toggle] : []),
      this._scrolled.node
    );
    this._show();
  }

  readonly node: HTMLElement;

  /** The line that says how many lines are out of sight. */
  get more(): HTMLElement {
    return this._scrolled.more;
  }

  private _show(): void {
    const sides = sideBySide && this._isDiff;
    const words = sides
      ? this._trans.__('Show the changes in one column')
      : this._trans.__('Show the changes side by side');
    setText(this._toggle, words);
    this._box.classList.toggle('msgbook-mod-sides', sides);
    this._box.replaceChildren(...(sides ? this._sides() : this._column()));
    this._scrolled.update();
  }

  private _column(): HTMLElement[] {
    return diffLines(this._diff).map(({ kind, text }) =>
      element('span', `msgbook-Diff-${this._isDiff ? kind : 'same'}`, text)
    );
  }

  private _sides(): HTMLElement[] {
    const heads = [this._trans.__('Before'), this._trans.__('After')].map(
      words => element('span', 'msgbook-Diff-side', words)
    );
    const rows = diffRows(this._diff).flatMap(({ kind, before, after }) => {
      if (kind === 'file' || kind === 'hunk') {
        return [element('span', `msgbook-Diff-${kind}`, before)];
      }
      const [left, right] =
        kind === 'same' ? ['same', 'same'] : ['removed', 'added'];
      return [side(before, left), side(after, right)];
    });
    return [...heads, ...rows];
  }

  private readonly _diff: string;
  private readonly _isDiff: boolean;
  private readonly _trans: TranslationBundle;
  private readonly _toggle = element('button', 'msgbook-Diff-toggle');
  private readonly _box = element('pre', 'msgbook-Pre msgbook-Diff');
  private readonly _scrolled: ScrolledBox;
}

function side(text: string, kind: string): HTMLElement {
  return element('span', text === '' ? '' : `msgbook-Diff-${kind}`, text);
}
