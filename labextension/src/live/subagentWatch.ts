import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type * as nbformat from '@jupyterlab/nbformat';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents, ServerConnection } from '@jupyterlab/services';
import type { Widget } from '@lumino/widgets';

import { isSubagentPath } from '../turn/agentRows';

/** Time between two looks at a file, in milliseconds. */
export const LOOK_INTERVAL = 1000;

/** The part of a notebook's context that a watch needs. */
export type IWatchedContext = Pick<
  DocumentRegistry.IContext<DocumentRegistry.IModel>,
  'path' | 'contentsModel' | 'model' | 'isDisposed' | 'ready' | 'revert'
> & { save(): Promise<void> };

/**
 * Watch over the conversation of a sub-agent that was opened while the sub-agent runs.
 *
 * The sub-agent saves each step in the file, which the server calls not writable until the
 * sub-agent has ended. What was saved is shown in place. Then the file is read again, as it is on
 * the disk; if a person has changed something meanwhile, JupyterLab asks what to keep.
 */
export class SubagentWatch {
  constructor(
    private readonly _context: IWatchedContext,
    private readonly _contents: Pick<Contents.IManager, 'get'>,
    /** Shows the outputs of the notebook's cells as they were saved. */
    private readonly _show: (notebook: nbformat.INotebookContent) => void,
    /** Draws the turns again. */
    private readonly _redraw: () => void,
    /** Called when the sub-agent has ended and a person can go on. */
    private readonly _free: () => void
  ) {
    if (isSubagentPath(this._context.path)) {
      void this._context.ready.then(() => this._begin());
    }
  }

  /** True while the sub-agent runs. */
  get isRunning(): boolean {
    return this._running;
  }

  dispose(): void {
    this._stop();
  }

  /**
   * Look at the file once, unless a look is under way: of two answers, the older might come last. A
   * file that cannot be reached is looked at again later, one that was deleted is not.
   */
  async look(): Promise<void> {
    if (this._looking) {
      return;
    }
    this._looking = true;
    try {
      await this._look();
    } finally {
      this._looking = false;
    }
  }

  private async _look(): Promise<void> {
    const { path } = this._context;
    try {
      const found = await this._contents.get(path, { content: false });
      if (!this._running || found.path !== this._context.path) {
        return;
      }
      // While the sub-agent replaces the file, it is writable for a moment.
      const ended = found.writable && this._wasWritable;
      this._wasWritable = found.writable;
      if (found.last_modified !== this._seen || ended) {
        const saved = await this._contents.get(path, {
          type: 'notebook',
          format: 'json',
          content: true
        });
        if (this._running) {
          this._showSaved(saved, ended);
        }
      }
    } catch (reason) {
      const { response } = reason as Partial<ServerConnection.ResponseError>;
      if (response?.status === 404) {
        this._stop();
        this._redraw();
        return;
      }
      console.warn('The sub-agent’s file could not be read.', reason);
    }
  }

  private _begin(): void {
    const { isDisposed, contentsModel } = this._context;
    if (isDisposed || contentsModel?.writable !== false) {
      return;
    }
    this._running = true;
    this._redraw();
    this._timer = window.setInterval(() => void this.look(), LOOK_INTERVAL);
  }

  private _showSaved(saved: Contents.IModel, ended: boolean): void {
    const { model } = this._context;
    const { dirty } = model;
    this._seen = saved.last_modified;
    this._show(saved.content as nbformat.INotebookContent);
    model.dirty = dirty;
    if (ended) {
      this._stop();
      this._redraw();
      void this._readAgain(dirty);
    }
  }

  private async _readAgain(dirty: boolean): Promise<void> {
    await (dirty ? this._context.save() : this._context.revert());
    if (!this._context.isDisposed) {
      this._free();
    }
  }

  private _stop(): void {
    this._running = false;
    window.clearInterval(this._timer);
  }

  private _running = false;
  private _looking = false;
  private _wasWritable = false;
  private _seen = '';
  private _timer: number | undefined;
}

/**
 * Return the label that JupyterLab shows as long as a notebook is open that was read-only.
 *
 * A toolbar without room for it, or of a notebook that is hidden, moves it to where it is not found.
 */
export function readOnlyLabel({
  toolbar
}: Pick<NotebookPanel, 'toolbar'>): Widget | undefined {
  const index = Array.from(toolbar.names()).indexOf('read-only-indicator');
  return Array.from(toolbar.children())[index];
}
