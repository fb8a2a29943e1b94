import type { TranslationBundle } from '@jupyterlab/translation';
import { button, element, setText } from '../render/dom';
import { controlsVisible } from '../turn/text';
import { jsonTree, treeOfText } from './jsonTree';

/**
 * Return the text of a result as a person reads it: JSON as a tree, with a button that shows the
 * text; a long text folded, with a search field; a short one as it is.
 */
export function resultText(
  text: string,
  trans: TranslationBundle
): HTMLElement {
  const value = treeOfText(text);
  if (value === undefined) {
    return plainText(text, trans);
  }
  const tree = jsonTree(value, left => trans.__('%1 more', left));
  const toggle = button('msgbook-Rich-button', '', () => {
    isTree = !isTree;
    show();
    toggle.focus();
  });
  const node = element('div', 'msgbook-JsonResult', toggle, tree);
  let isTree = true;
  const show = () => {
    setText(
      toggle,
      isTree ? trans.__('Show as text') : trans.__('Show as tree')
    );
    node.replaceChildren(toggle, isTree ? tree : plainText(text, trans));
  };
  show();
  return node;
}

function plainText(text: string, trans: TranslationBundle): HTMLElement {
  const shown = controlsVisible(text);
  return isLong(text)
    ? new LongText(shown, trans).node
    : element('pre', 'msgbook-Pre', shown);
}

/** Lines and characters of a text that is shown without a search field. */
const SHORT_LINES = 30;
const SHORT = 3_000;

/** Matches that are marked; the count goes on. */
const MARKED = 1_000;

/** Return whether a text is long enough to be folded and searched. */
export function isLong(text: string): boolean {
  return (
    text.length > SHORT ||
    text.split('\n', SHORT_LINES + 1).length > SHORT_LINES
  );
}

/** A long text in a box of limited height, with a search field and a button that unfolds it. */
export class LongText {
  constructor(
    private readonly _text: string,
    private readonly _trans: TranslationBundle
  ) {
    this._box.tabIndex = 0;
    this._input.type = 'search';
    this._input.placeholder = _trans.__('Search in this result');
    this._input.setAttribute('aria-label', _trans.__('Search in this result'));
    this._count.setAttribute('role', 'status');
    this._input.addEventListener('input', () => this._search());
    this._input.addEventListener('keydown', event => this._onKey(event));
    const bar = element(
      'div',
      'msgbook-LongText-bar',
      this._input,
      this._count,
      this._fold
    );
    this.node = element('div', 'msgbook-LongText', bar, this._box);
    this._showFold();
    this._search();
  }

  readonly node: HTMLElement;

  private _showFold(): void {
    const isWhole = this._box.classList.contains('msgbook-mod-whole');
    const lines = this._text.split('\n').length;
    setText(
      this._fold,
      isWhole
        ? this._trans.__('Fold')
        : this._trans._n('Show all of %1 line', 'Show all of %1 lines', lines)
    );
    this._fold.setAttribute('aria-expanded', String(isWhole));
  }

  private _search(): void {
    const wanted = this._input.value;
    const found = wanted === '' ? [] : matches(this._text, wanted);
    this._marks = [];
    this._current = -1;
    const nodes: (Node | string)[] = [];
    let end = 0;
    for (const start of found.slice(0, MARKED)) {
      const mark = element(
        'mark',
        '',
        this._text.slice(start, start + wanted.length)
      );
      nodes.push(this._text.slice(end, start), mark);
      this._marks.push(mark);
      end = start + wanted.length;
    }
    this._box.replaceChildren(...nodes, this._text.slice(end));
    setText(
      this._count,
      wanted === ''
        ? ''
        : this._trans._n('%1 match', '%1 matches', found.length)
    );
    this._go(1);
  }

  private _onKey(event: KeyboardEvent): void {
    // Keys of a notebook, such as those that delete a cell, are not meant.
    event.stopPropagation();
    if (event.key === 'Enter') {
      event.preventDefault();
      this._go(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      this._input.value = '';
      this._search();
    }
  }

  private _go(by: number): void {
    const number = this._marks.length;
    if (number === 0) {
      return;
    }
    this._marks[this._current]?.removeAttribute('aria-current');
    this._current = (this._current + by + number) % number;
    const mark = this._marks[this._current];
    mark.setAttribute('aria-current', 'true');
    mark.scrollIntoView?.({ block: 'nearest' });
  }

  private readonly _box = element('pre', 'msgbook-Pre');
  private readonly _input = element('input', 'msgbook-LongText-search');
  private readonly _count = element('span', 'msgbook-LongText-count');
  private readonly _fold = button('msgbook-Rich-button', '', () => {
    this._box.classList.toggle('msgbook-mod-whole');
    this._showFold();
  });
  private _marks: HTMLElement[] = [];
  private _current = -1;
}

/** Return where a text stands in another, without regard to case, one match after the other. */
function matches(text: string, wanted: string): number[] {
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return Array.from(text.matchAll(new RegExp(escaped, 'giu')), m => m.index);
}
