import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { element } from '../render/dom';
import type { BareCell } from '../comm/ourKernels';
import { bareCellIn } from '../live/chatNotebook';
import { placeAtInput } from '../live/codeCells';
import type { ICellFacts } from './cellFacts';
import { CHAT_CLASS } from './activePrompt';
import { factsOf } from './changes';
import { controlsVisible, visible } from '../turn/text';

/** Marks on the cells of a chat that say what the model gets of each. */
export class CellMarks {
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _trans: TranslationBundle,
    /** Called when the mark of a cell has changed. */
    private readonly _onChange: (cell: Cell) => void
  ) {
    const { content, sessionContext } = this._panel;
    content.modelChanged.connect(this._join, this);
    sessionContext.kernelChanged.connect(this._onKernel, this);
    sessionContext.kernelPreferenceChanged.connect(this._onKernel, this);
    this._panel.disposed.connect(() => Signal.clearData(this));
    this._join();
  }

  private _join(): void {
    const cells = this._panel.content.model?.cells;
    // The notebook makes its widgets in a slot that was connected before.
    cells?.changed.connect(this._update, this);
    this._update();
  }

  private _onKernel(): void {
    this._update();
    // What is a message on one of our kernels may be code on the other.
    this._marks.forEach(mark => mark.update());
  }

  private _update(): void {
    const { content } = this._panel;
    for (const cell of content.hasClass(CHAT_CLASS) ? content.widgets : []) {
      if (!this._marks.has(cell)) {
        const bare = () => bareCellIn(this._panel.sessionContext) ?? 'message';
        this._marks.set(
          cell,
          new CellMark(cell, this._trans, bare, this._onChange)
        );
        cell.disposed.connect(() => this._marks.delete(cell));
      }
    }
  }

  private readonly _marks = new Map<Cell, CellMark>();
}

/**
 * The mark of one cell: a sign beside the input for each cell, and a line below the input for one
 * that the model gets otherwise than usual.
 */
class CellMark {
  constructor(
    cell: Cell,
    private readonly _trans: TranslationBundle,
    private readonly _bare: () => BareCell,
    private readonly _changed: (cell: Cell) => void
  ) {
    this._cell = cell;
    this._sign.setAttribute('role', 'img');
    cell.disposed.connect(() => Signal.clearData(this));
    cell.model.metadataChanged.connect(this.update, this);
    cell.model.sharedModel.changed.connect((_, change) => {
      if (change.sourceChange !== undefined) {
        this.update();
      }
    }, this);
    // A cell that has never been on the screen has no input yet.
    void cell.ready.then(() => {
      if (!cell.isDisposed) {
        cell.inputArea?.node.append(this._sign);
        this.update();
      }
    });
  }

  /** Look again at what the cell says. */
  update(): void {
    if (this._cell.isDisposed || this._sign.parentNode === null) {
      return;
    }
    const facts = factsOf(this._cell.model, this._bare());
    const words = markWords(facts, this._trans);
    const note = noteWords(facts, this._trans);
    if (words !== this._words) {
      this._words = words;
      this._sign.title = words;
      this._sign.setAttribute('aria-label', words);
      this._sign.dataset.gets = gets(facts);
      const isPale = gets(facts) === 'exclude' && facts.kind !== 'note';
      this._cell.toggleClass('msgbook-mod-excluded', isPale);
      this._changed(this._cell);
    }
    this._showNote(note);
  }

  private _showNote(words: string): void {
    if (words === (this._note?.node.textContent ?? '')) {
      return;
    }
    this._note?.dispose();
    this._note = null;
    if (words !== '') {
      this._note = new Widget({
        node: element('div', 'msgbook-CellNote', words)
      });
      placeAtInput(this._cell, this._note);
    }
    this._changed(this._cell);
  }

  private readonly _cell: Cell;
  private readonly _sign = element('span', 'msgbook-CellMark');
  private _words: string | null = null;
  private _note: Widget | null = null;
}

/** Return the name of a sign in the style sheet. */
function gets({ kind, history }: ICellFacts): string {
  switch (kind) {
    case 'empty':
      return 'empty';
    case 'raw':
    case 'magic':
      return 'never';
    default:
      return history;
  }
}

/** Characters of a summary that a cell shows. */
const GIST_LENGTH = 200;

/** Return what the model gets of a cell; empty for an empty cell. */
export function markWords(
  { kind, history, role }: ICellFacts,
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'empty':
      return '';
    case 'raw':
      return trans.__('Not sent');
    case 'magic':
      return trans.__('Command cell, not sent to the model');
    case 'prompt':
      return {
        include: trans.__('Sent to the model, with its answer'),
        exclude: trans.__('Not sent, nor its answer'),
        summary: trans.__('Sent as a summary, with its answer')
      }[history];
    case 'code':
      return {
        include: trans.__('Sent to the model, with its output'),
        exclude: trans.__('Not sent, nor its output'),
        summary: trans.__('Sent as a summary, with its output')
      }[history];
    case 'note':
      return {
        include:
          role === undefined
            ? trans.__('Sent to the model')
            : trans.__('Sent to the model as “%1”', visible(role)),
        exclude: trans.__('Not sent'),
        summary: trans.__('Sent as a summary')
      }[history];
  }
}

/** Return what a line below the input says; empty for a cell that is as usual. */
export function noteWords(facts: ICellFacts, trans: TranslationBundle): string {
  const { history, summary, agent, model } = facts;
  const parts = [
    agent === undefined ? '' : trans.__('Agent: %1', visible(agent)),
    model === undefined ? '' : trans.__('Model: %1', visible(model)),
    exclusionWords(facts, trans),
    history === 'summary' ? summaryWords(summary, trans) : ''
  ];
  return parts.filter(part => part !== '').join(' · ');
}

/** Notes for readers alone are nothing unusual. */
function exclusionWords(
  { kind, history, unread }: ICellFacts,
  trans: TranslationBundle
): string {
  if (history !== 'exclude' || kind === 'empty') {
    return '';
  }
  if (unread !== undefined && kind !== 'raw') {
    return trans.__(
      'Not sent: “%1” cannot be read. Mend it in the file, or choose what is sent.',
      controlsVisible(unread.slice(0, GIST_LENGTH))
    );
  }
  return kind === 'note'
    ? trans.__('For readers, not sent to the model')
    : trans.__('Excluded');
}

function summaryWords(
  summary: string | undefined,
  trans: TranslationBundle
): string {
  if (summary === undefined) {
    return trans.__('Sent as a summary, which the next request makes');
  }
  const gist = summary.slice(0, GIST_LENGTH).replace(/\s+/g, ' ').trim();
  return trans.__('Sent as a summary: %1', controlsVisible(gist));
}
