import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import type { StaleCause } from '../live/staleTurns';
import { element, setText } from './dom';

/** Numbers of cells that a mark names. */
const NAMED = 5;

/** What a mark can do. */
export interface IStaleActions {
  /** Show a cell. */
  show(cellId: string): void;
  runAgain(cellId: string): void;
  runAll(): void;
}

/** What a mark shows. */
export interface IStaleMark {
  readonly cellId: string;
  readonly cause: StaleCause;
  /** Number of stale turns in the notebook. */
  readonly count: number;
  /** Return the number of a cell, from 1; 0 if it is gone. */
  readonly numberOf: (cellId: string) => number;
  /** Return whether requests leave a cell out. */
  readonly isExcluded: (cellId: string) => boolean;
}

/** Line at a cell whose turn is stale: why, and buttons to run it again. */
export class StaleMark extends Widget {
  constructor(
    private readonly _trans: TranslationBundle,
    actions: IStaleActions
  ) {
    super();
    this.addClass('msgbook-Stale');
    this.node.setAttribute('role', 'note');
    this._again.textContent = this._trans.__('Run again');
    for (const button of [this._show, this._again, this._all]) {
      button.type = 'button';
    }
    this._show.addEventListener('click', () => actions.show(this._target));
    this._again.addEventListener('click', () => actions.runAgain(this._cellId));
    this._all.addEventListener('click', () => actions.runAll());
    this.node.append(this._words, this._show, this._again, this._all);
  }

  describe(mark: IStaleMark): void {
    const { cellId, cause, count, numberOf } = mark;
    this._cellId = cellId;
    setText(this._words, whyStale(mark, this._trans));
    this._target = targetOf(cause, cellId);
    this._show.hidden = this._target === '' || numberOf(this._target) === 0;
    const number = numberOf(this._target);
    setText(this._show, this._trans.__('Show cell %1', number));
    this._all.hidden = count < 2;
    setText(this._all, this._trans.__('Run all %1 stale', count));
  }

  private readonly _words = element('span', 'msgbook-Stale-words');
  private readonly _show = element('button', 'msgbook-Stale-button');
  private readonly _again = element('button', 'msgbook-Stale-button');
  private readonly _all = element('button', 'msgbook-Stale-button');
  private _cellId = '';
  private _target = '';
}

/** Return the cell that a person wants to look at; empty for the turn's own. */
function targetOf(cause: StaleCause, cellId: string): string {
  const ids =
    cause.kind === 'cells'
      ? cause.ids
      : cause.kind === 'between'
        ? [cause.first]
        : [];
  return ids.find(id => id !== cellId) ?? '';
}

/** Return in words which cell has changed since the answer. */
export function whyStale(
  { cellId, cause, numberOf, isExcluded }: Omit<IStaleMark, 'count'>,
  trans: TranslationBundle
): string {
  if (cause.kind === 'place' && cause.isNew && numberOf(cellId) === 1) {
    // Nothing was above it: the text beside gave the cell another id.
    return trans.__('This answer is stale: its prompt has changed.');
  }
  if (cause.kind === 'place') {
    return trans.__(
      'This answer is stale: a cell above it was added, moved or deleted.'
    );
  }
  if (cause.kind === 'count') {
    return trans.__(
      'This answer is stale: a cell above it was added, deleted or excluded.'
    );
  }
  if (cause.kind === 'between') {
    return whyBetween(cause, cellId, numberOf, trans);
  }
  if (cause.ids.length === 1 && cause.ids[0] === cellId) {
    return trans.__('This answer is stale: its prompt has changed.');
  }
  const there = cause.ids.filter(id => numberOf(id) > 0);
  const numbers = there.map(numberOf);
  const more = numbers.length > NAMED ? ', …' : '';
  if (there.length > 0 && there.every(isExcluded)) {
    return trans._n(
      'This answer is stale: cell %2 was excluded.',
      'This answer is stale: cells %2 were excluded.',
      numbers.length,
      numbers.slice(0, NAMED).join(', ') + more
    );
  }
  return trans._n(
    'This answer is stale: cell %2 has changed.',
    'This answer is stale: cells %2 have changed.',
    numbers.length,
    numbers.slice(0, NAMED).join(', ') + more
  );
}

function whyBetween(
  { first, last, maybeSystem }: StaleCause & { readonly kind: 'between' },
  cellId: string,
  numberOf: (cellId: string) => number,
  trans: TranslationBundle
): string {
  const to = numberOf(last);
  // 0 if the cell is gone.
  const from = numberOf(first) || to;
  if (maybeSystem) {
    return trans.__(
      'This answer is stale: the agent, its skills, or something up to cell %1 has changed.',
      to
    );
  }
  if (from === to && last === cellId) {
    return trans.__('This answer is stale: its prompt has changed.');
  }
  return from === to
    ? trans.__('This answer is stale: cell %1 has changed.', from)
    : trans.__(
        'This answer is stale: a cell from %1 to %2 has changed or moved.',
        from,
        to
      );
}
