import type { TranslationBundle } from '@jupyterlab/translation';
import { visible } from '../turn/text';
import { button, element, setText } from './dom';
import { ScrolledBox } from './scrolledBox';

/** Whether the reader of this page wants to see changes side by side. */
let sideBySide = false;

/** A unified diff, in one column or side by side; each line keeps its sign. Any other text is one column. */
export class DiffView {
  constructor(
    diff: string,
    private readonly _trans: TranslationBundle
  ) {
    this._diff = visible(diff);
    this._isDiff = diffLines(this._diff).some(({ kind }) => kind === 'hunk');
    this._box.setAttribute(
      'aria-label',
      this._isDiff
        ? this._trans.__('Changes')
        : this._trans.__('What would be done')
    );
    this._scrolled = new ScrolledBox(this._box, this._trans);
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
  private readonly _toggle = button('msgbook-Diff-toggle', '', () => {
    sideBySide = !sideBySide;
    this._show();
  });
  private readonly _box = element('pre', 'msgbook-Pre msgbook-Diff');
  private readonly _scrolled: ScrolledBox;
}

function side(text: string, kind: string): HTMLElement {
  return element('span', text === '' ? '' : `msgbook-Diff-${kind}`, text);
}

/** Kind of a line of a unified diff. */
export type DiffKind = 'file' | 'hunk' | 'added' | 'removed' | 'same';

/** Neighbouring lines of one kind, with their line ends. */
export interface IDiffLines {
  readonly kind: DiffKind;
  readonly text: string;
}

/** Return the lines of a unified diff, grouped by kind; joined, they are the diff. */
export function diffLines(diff: string): IDiffLines[] {
  const groups: { kind: DiffKind; text: string }[] = [];
  let inHead = true;
  for (const line of diff.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    inHead &&= !line.startsWith('@@');
    const kind = inHead ? 'file' : lineKind(line);
    const last = groups.at(-1);
    if (last?.kind === kind) {
      last.text += line;
    } else {
      groups.push({ kind, text: line });
    }
  }
  return groups;
}

/** Return whether a text is a unified diff to its end: the kernel ends one that it cuts with a line of words. */
export function isWholeDiff(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  const start = lines.findIndex(line => line.startsWith('@@'));
  return (
    start !== -1 && lines.slice(start).every(line => /^[-+@ \\]/.test(line))
  );
}

/** A row of a diff that shows the text before and after side by side. */
export interface IDiffRow {
  readonly kind: 'file' | 'hunk' | 'changed' | 'same';
  /** Lines before the change, each with its sign; empty beside lines that are new. */
  readonly before: string;
  readonly after: string;
}

/** Return the rows of a unified diff; a row of the kinds `file` and `hunk` has its text in both. */
export function diffRows(diff: string): IDiffRow[] {
  const rows: IDiffRow[] = [];
  const groups = diffLines(diff);
  for (let index = 0; index < groups.length; index++) {
    const { kind, text } = groups[index];
    const next = groups[index + 1];
    if (kind === 'removed' && next?.kind === 'added') {
      rows.push({ kind: 'changed', before: text, after: next.text });
      index += 1;
    } else if (kind === 'removed') {
      rows.push({ kind: 'changed', before: text, after: '' });
    } else if (kind === 'added') {
      rows.push({ kind: 'changed', before: '', after: text });
    } else {
      rows.push({ kind, before: text, after: text });
    }
  }
  return rows;
}

function lineKind(line: string): DiffKind {
  switch (line[0]) {
    case '@':
      return 'hunk';
    case '+':
      return 'added';
    case '-':
      return 'removed';
    default:
      return 'same';
  }
}
