import type { CodeCell } from '@jupyterlab/cells';
import { Signal } from '@lumino/signaling';

import { mimeTypeOf } from './promptKind';

/** Characters of a source that are looked at. */
const ENOUGH = 1000;

/**
 * Keeps the language of a cell's editor: Markdown in a prompt, Python below `%%python`.
 *
 * JupyterLab gives all code cells of a notebook the language of its kernel, when the cell is made and
 * when the kernel has told its language.
 */
export class CellLanguage {
  /**
   * @param isChat - Returns whether the notebook is a chat; the cells of others are left as they are.
   * @param asProse - Returns whether prompts are shown as messages.
   */
  constructor(cell: CodeCell, isChat: () => boolean, asProse: () => boolean) {
    this._cell = cell;
    this._isChat = isChat;
    this._asProse = asProse;
    cell.disposed.connect(() => Signal.clearData(this));
    cell.model.contentChanged.connect(this.update, this);
    cell.model.mimeTypeChanged.connect(this.update, this);
    this.update();
  }

  /** Look again at what the cell holds. */
  update(): void {
    const { isDisposed, model } = this._cell;
    if (!isDisposed && this._isChat()) {
      const source = model.sharedModel.getSource().slice(0, ENOUGH);
      model.mimeType = mimeTypeOf(source, this._asProse());
    }
  }

  private readonly _cell: CodeCell;
  private readonly _isChat: () => boolean;
  private readonly _asProse: () => boolean;
}
