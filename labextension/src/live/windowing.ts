import type { NotebookPanel, StaticNotebook } from '@jupyterlab/notebook';

import { isChatNotebook, onKernelChoice } from './chatNotebook';

type Mode = StaticNotebook.INotebookConfig['windowingMode'];

/** JupyterLab's mode in which the page lays out only the cells in view. */
const OURS: Mode = 'full';

/** Keeps a notebook in our mode while it is a chat, and in that of the user's settings otherwise. */
export class ChatWindowing {
  /** @param isOn - Returns whether chats have a mode of their own. */
  constructor(panel: NotebookPanel, isOn: () => boolean) {
    this._panel = panel;
    this._isOn = isOn;
    this._theirs = panel.content.notebookConfig.windowingMode;
    onKernelChoice(panel, () => this.update());
    this.update();
  }

  /** Take over the mode that JupyterLab has just set in all notebooks. */
  takeTheirs(): void {
    this._theirs = this._panel.content.notebookConfig.windowingMode;
    this.update();
  }

  update(): void {
    const { content, isDisposed, sessionContext } = this._panel;
    if (isDisposed) {
      return;
    }
    const isOurs = this._isOn() && isChatNotebook(sessionContext);
    const windowingMode = isOurs ? OURS : this._theirs;
    if (content.notebookConfig.windowingMode !== windowingMode) {
      content.notebookConfig = { ...content.notebookConfig, windowingMode };
    }
  }

  private readonly _panel: NotebookPanel;
  private readonly _isOn: () => boolean;
  private _theirs: Mode;
}
