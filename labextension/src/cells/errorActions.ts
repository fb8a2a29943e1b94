import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';
import type { BareCell } from '../comm/ourKernels';
import { bareCellIn, onKernelChoice } from '../live/chatNotebook';
import { forEachCodeCell } from '../live/codeCells';
import { turnOf } from '../live/notebookCells';
import { runBelow } from '../live/turnActions';
import { referenceToCell } from '../prompts/attachments';
import { button, element } from '../render/dom';
import { factsOf } from './changes';
import { withFirstLine } from './kinds';

/** What a person asks about an error. */
export type Wish = 'explain' | 'fix';

/** Offer to explain and to fix the errors of the code in a notebook. */
export function offerHelp(
  panel: NotebookPanel,
  trans: TranslationBundle,
  dialogs: ISessionContextDialogs | undefined
): void {
  const all = new Set<ErrorActions>();
  forEachCodeCell(panel.content, cell => {
    const one = new ErrorActions(panel, cell, trans, dialogs);
    all.add(one);
    cell.disposed.connect(() => all.delete(one));
  });
  onKernelChoice(panel, () => all.forEach(one => one.update()));
}

/** The buttons below the traceback of one cell. */
class ErrorActions {
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _cell: CodeCell,
    private readonly _trans: TranslationBundle,
    private readonly _dialogs: ISessionContextDialogs | undefined
  ) {
    this._cell.disposed.connect(() => Signal.clearData(this));
    this._cell.model.outputs.changed.connect(this.update, this);
    this._cell.model.contentChanged.connect(this.update, this);
    // A cell that was never in view has no outputs to stand below.
    void this._cell.ready.then(() => {
      this._isBuilt = true;
      this.update();
    });
  }

  /** Show or hide the buttons. */
  update(): void {
    if (this._cell.isDisposed || !this._isBuilt) {
      return;
    }
    const bare = bareCellIn(this._panel.sessionContext);
    const isShown = bare !== null && hasError(this._cell.model, bare);
    if (isShown === (this._buttons !== null)) {
      return;
    }
    this._buttons?.dispose();
    this._buttons = null;
    const { layout } = this._cell;
    if (isShown && layout instanceof PanelLayout) {
      this._buttons = new Widget({ node: this._draw() });
      layout.addWidget(this._buttons);
    }
  }

  private _draw(): HTMLElement {
    const trans = this._trans;
    const offer = (label: string, title: string, wish: Wish) => {
      const made = button('msgbook-Action', label, () => void this._ask(wish));
      made.title = title;
      return made;
    };
    const node = element(
      'div',
      'msgbook-ErrorActions',
      offer(
        trans.__('Explain'),
        trans.__('Ask the model below what the error means'),
        'explain'
      ),
      offer(
        trans.__('Fix'),
        trans.__(
          'Ask the model below to change the cell; you approve its change'
        ),
        'fix'
      )
    );
    node.setAttribute('role', 'group');
    node.setAttribute('aria-label', trans.__('Help with the error'));
    return node;
  }

  private async _ask(wish: Wish): Promise<void> {
    const bare = bareCellIn(this._panel.sessionContext);
    const index = this._panel.content.widgets.indexOf(this._cell);
    if (bare === null || index === -1) {
      return;
    }
    const { model } = this._cell;
    const isSent = factsOf(model, bare).history === 'include';
    const source = errorMessage(wish, model.id, isSent, bare, this._trans);
    await runBelow(this._panel, index, source, this._dialogs);
  }

  private _buttons: Widget | null = null;
  private _isBuilt = false;
}

/** Return whether a cell is code that has failed. */
export function hasError(model: CodeCell['model'], bare: BareCell): boolean {
  const { outputs } = model;
  for (let index = outputs.length - 1; index >= 0; index--) {
    if (outputs.get(index).type === 'error') {
      return factsOf(model, bare).kind === 'code' && turnOf(model) === null;
    }
  }
  return false;
}

/**
 * Return the cell that asks about the error of the cell above.
 *
 * The code and its traceback stand above it. They are in the request, and not in the message.
 *
 * @param isSent - Whether the cell is in the requests below it.
 */
export function errorMessage(
  wish: Wish,
  cellId: string,
  isSent: boolean,
  bare: BareCell,
  trans: TranslationBundle
): string {
  const reference = referenceToCell(cellId);
  const words =
    wish === 'explain'
      ? trans.__('Explain the error above, and what causes it.')
      : reference !== null
        ? trans.__(
            'Fix the error above: change the cell `%1`, and run it again.',
            cellId
          )
        : trans.__('Fix the error above.');
  const text = isSent || reference === null ? words : `${words} ${reference}`;
  return withFirstLine(text, 'message', bare);
}
