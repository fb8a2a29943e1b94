import type { NotebookPanel, StaticNotebook } from '@jupyterlab/notebook';
import { Signal, type ISignal } from '@lumino/signaling';

import { KERNEL_NAME } from '../comm/kernelLink';
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
    panel.content.model?.metadataChanged.connect(this.update, this);
    panel.disposed.connect(() => Signal.clearData(this));
    this.update();
  }

  /** Whether the notebook is in our mode because it is a chat. */
  get isOurs(): boolean {
    return this._isOurs;
  }

  /** Emitted when that has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Take over the mode that JupyterLab has just set in all notebooks. */
  takeTheirs(): void {
    this._theirs = this._panel.content.notebookConfig.windowingMode;
    this.update();
  }

  update(): void {
    const { content, isDisposed } = this._panel;
    if (isDisposed) {
      return;
    }
    const wasOurs = this._isOurs;
    this._isOurs = this._isOn() && isChat(this._panel);
    const windowingMode = this._isOurs ? OURS : this._theirs;
    if (content.notebookConfig.windowingMode !== windowingMode) {
      content.notebookConfig = { ...content.notebookConfig, windowingMode };
    }
    if (wasOurs !== this._isOurs) {
      this._changed.emit();
    }
  }

  private readonly _panel: NotebookPanel;
  private readonly _isOn: () => boolean;
  private readonly _changed = new Signal<this, void>(this);
  private _theirs: Mode;
  private _isOurs = false;
}

/**
 * Return whether a notebook is a chat, or will be one.
 *
 * JupyterLab chooses the kernel after it has asked the server for checkpoints. By then it would have
 * built many cells that are out of view.
 */
function isChat({ content, sessionContext }: NotebookPanel): boolean {
  const { session, kernelPreference } = sessionContext;
  const isChosen = Boolean(session?.kernel) || Boolean(kernelPreference.name);
  return isChosen
    ? isChatNotebook(sessionContext)
    : content.model?.defaultKernelName === KERNEL_NAME;
}
