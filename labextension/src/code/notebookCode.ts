import {
  Dialog,
  InputDialog,
  Notification,
  showDialog,
  type ISessionContextDialogs
} from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { findFile, pathBeside } from '../live/beside';
import { errorText } from '../live/errorText';
import { activateCell, insertCell, runCell } from '../live/newCell';
import { visible } from '../turn/text';
import { canRun, cellOf, fileNameOf, type ICode } from './languages';
import { isInView, isSeen } from './seen';

/** What the code toolbar does with code of an answer. */
export interface ICodeActions {
  canInsert(): boolean;
  canRun(code: ICode): boolean;
  /** Insert a cell with the code that `node` shows below its cell, and run it if asked and seen. */
  insert(node: HTMLElement, code: ICode, run: boolean): Promise<void>;
  save(code: ICode): Promise<void>;
}

/** The code of a notebook's answers. */
export class NotebookCode implements ICodeActions {
  constructor(
    panel: NotebookPanel,
    contents: Contents.IManager,
    trans: TranslationBundle,
    dialogs: ISessionContextDialogs | undefined,
    isChat: () => boolean
  ) {
    this._panel = panel;
    this._contents = contents;
    this._trans = trans;
    this._dialogs = dialogs;
    this._isChat = isChat;
  }

  canInsert(): boolean {
    return this._panel.content.model?.readOnly === false;
  }

  canRun(code: ICode): boolean {
    return this.canInsert() && canRun(code, this._language);
  }

  async insert(node: HTMLElement, code: ICode, run: boolean): Promise<void> {
    const { content: notebook } = this._panel;
    // A person who presses "run" has judged what was seen then.
    const unseen = run ? this._unseen(node, code) : null;
    const above = notebook.widgets.findIndex(cell => cell.node.contains(node));
    if (above === -1 || notebook.model === null) {
      return;
    }
    insertCell(notebook.model, above + 1, cellOf(code, this._language));
    activateCell(notebook, above + 1);
    notebook.mode = 'command';
    notebook.activate();
    const made = notebook.widgets[above + 1];
    await notebook.scrollToItem(above + 1, 'smart');
    if (!run || made.isDisposed) {
      return;
    }
    if (unseen !== null) {
      Notification.warning(unseen, { autoClose: false });
      return;
    }
    await runCell(this._panel, made, this._dialogs);
  }

  /** Return why the code does not run by a button, in words; null if all of it is seen. */
  private _unseen(node: HTMLElement, code: ICode): string | null {
    if (!isSeen(code)) {
      return this._trans.__(
        'The code has characters that cannot be seen, or wide gaps. It was inserted but not run: look at the cell and run it yourself.'
      );
    }
    return isInView(node)
      ? null
      : this._trans.__(
          'Part of the code was out of sight. It was inserted but not run: look at the cell and run it yourself.'
        );
  }

  async save(code: ICode): Promise<void> {
    const trans = this._trans;
    try {
      const path = await this._askPath(code);
      if (path === null || !(await this._mayWrite(path))) {
        return;
      }
      const content = `${code.text}\n`;
      await this._contents.save(path, {
        type: 'file',
        format: 'text',
        content
      });
      Notification.success(
        trans.__('The code is saved in %1.', visible(path)),
        {
          autoClose: 5000
        }
      );
    } catch (error) {
      Notification.error(
        trans.__('The code is not saved: %1', visible(errorText(error))),
        { autoClose: false }
      );
    }
  }

  private async _askPath(code: ICode): Promise<string | null> {
    const trans = this._trans;
    const { button, value } = await InputDialog.getText({
      title: trans.__('Save the Code as a File'),
      label: trans.__('Path from the folder of the notebook'),
      text: fileNameOf(code),
      okLabel: trans.__('Save'),
      required: true
    });
    const name = value?.trim() ?? '';
    return button.accept && name !== ''
      ? pathBeside(this._contents, this._panel.context.path, name)
      : null;
  }

  private async _mayWrite(path: string): Promise<boolean> {
    const trans = this._trans;
    const found = await findFile(this._contents, path);
    if (found === null) {
      return true;
    }
    if (found.type === 'directory') {
      throw new Error(trans.__('%1 is a folder. Choose another name.', path));
    }
    const { button } = await showDialog({
      title: trans.__('Replace the File?'),
      body: trans.__('%1 exists. Its content would be lost.', visible(path)),
      buttons: [
        Dialog.cancelButton(),
        Dialog.warnButton({ label: trans.__('Replace') })
      ]
    });
    return button.accept;
  }

  /** What a code cell holds without a magic; empty in a chat. */
  private get _language(): string {
    return this._isChat()
      ? ''
      : (this._panel.content.model?.defaultKernelLanguage ?? '').toLowerCase();
  }

  private readonly _panel: NotebookPanel;
  private readonly _contents: Contents.IManager;
  private readonly _trans: TranslationBundle;
  private readonly _dialogs: ISessionContextDialogs | undefined;
  private readonly _isChat: () => boolean;
}
