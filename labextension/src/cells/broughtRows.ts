import type { CodeCell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';

import { forEachCodeCell } from '../live/codeCells';
import type { PageConnection } from '../live/pageConnection';
import { turnOf } from '../live/notebookCells';
import { broughtBy } from './brought';
import { BroughtFacts } from './broughtFacts';
import { broughtRow } from './broughtRow';

/** Show below each message of a notebook what it has brought, as long as the notebook is open. */
export function showBrought(
  { panel, queries, connected }: PageConnection,
  trans: TranslationBundle
): void {
  const facts = new BroughtFacts(
    (name, params) =>
      new Promise(resolve => {
        // A question is lost that is asked while the kernel starts.
        const ask = () => {
          queries.ask(name, params).then(
            answer => {
              connected.disconnect(ask);
              resolve(answer);
            },
            () => undefined
          );
        };
        connected.connect(ask);
        ask();
      })
  );
  forEachCodeCell(
    panel.content,
    cell =>
      // A cell that has never been on the screen is drawn when it is.
      void cell.ready.then(() => {
        if (!cell.isDisposed) {
          new BroughtRow(cell, facts, trans);
        }
      })
  );
}

class BroughtRow {
  constructor(cell: CodeCell, facts: BroughtFacts, trans: TranslationBundle) {
    this._cell = cell;
    this._facts = facts;
    this._trans = trans;
    cell.disposed.connect(() => Signal.clearData(this));
    cell.model.outputs.changed.connect(this._update, this);
    this._update();
  }

  private _update(): void {
    const { layout } = this._cell;
    const items = broughtBy(turnOf(this._cell.model));
    // A turn changes with each word that comes.
    const seen = JSON.stringify(items);
    if (seen === this._seen || !(layout instanceof PanelLayout)) {
      return;
    }
    this._seen = seen;
    this._row?.dispose();
    this._row = null;
    if (items.length > 0) {
      const node = broughtRow(items, this._facts, this._trans);
      this._row = new Widget({ node });
      const input = layout.widgets.findIndex(widget =>
        widget.hasClass('jp-Cell-inputWrapper')
      );
      layout.insertWidget(input + 1, this._row);
    }
  }

  private readonly _cell: CodeCell;
  private readonly _facts: BroughtFacts;
  private readonly _trans: TranslationBundle;
  private _row: Widget | null = null;
  private _seen = '[]';
}
