import type { ISessionContext } from '@jupyterlab/apputils';
import { NotebookActions, type Notebook } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Debouncer } from '@lumino/polling';
import { Signal, type ISignal } from '@lumino/signaling';

import { GONE } from '../comm/kernelComm';
import type { PageConnection } from '../live/pageConnection';
import type { IPageConnections } from '../tokens';

/** Milliseconds without another change before a change counts. */
const CALM = 400;

/**
 * The cell that a panel is about: the active one of the notebook that was used last.
 *
 * Between `start` and `stop` it says when something may have changed: another cell, an edit, the end of
 * a run, another kernel. What a running turn adds does not count.
 */
export class FollowedCell implements IDisposable {
  constructor(connections: IPageConnections) {
    this._connections = connections;
  }

  get connection(): PageConnection | null {
    return this._connection;
  }

  /** The id of the cell; null without one. */
  get cellId(): string | null {
    return this._notebook?.activeCell?.model.id ?? null;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._calm.isDisposed;
  }

  start(): void {
    this._follow();
  }

  stop(): void {
    Signal.disconnectReceiver(this);
    this._connection = null;
    void this._calm.stop();
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.stop();
      this._calm.dispose();
      Signal.clearData(this);
    }
  }

  private get _notebook(): Notebook | undefined {
    return this._connection?.panel.content;
  }

  private _follow(): void {
    const { current } = this._connections;
    Signal.disconnectReceiver(this);
    this._connections.currentChanged.connect(this._follow, this);
    NotebookActions.executed.connect(this._onExecuted, this);
    this._connection = current;
    if (current !== null) {
      const { content, sessionContext } = current.panel;
      current.connected.connect(this._onSoon, this);
      content.activeCellChanged.connect(this._onSoon, this);
      content.modelContentChanged.connect(this._onContent, this);
      sessionContext.statusChanged.connect(this._onStatus, this);
      sessionContext.kernelChanged.connect(this._onSoon, this);
    }
    this._changed.emit();
  }

  private _onExecuted(_: unknown, { notebook }: { notebook: Notebook }): void {
    if (notebook === this._notebook) {
      this._onSoon();
    }
  }

  private _onContent(): void {
    const source = this._notebook?.activeCell?.model.sharedModel.getSource();
    const isEdited = source !== this._source;
    this._source = source;
    // An answer to a panel writes a running turn into the notebook, which is no reason to ask again.
    if (isEdited || !this._connection?.cells.isAnyRunning()) {
      this._onSoon();
    }
  }

  private _onStatus(_: ISessionContext, status: Kernel.Status): void {
    if (GONE.has(status)) {
      this._changed.emit();
    }
  }

  private _onSoon(): void {
    // The promise is rejected if the panel is hidden before the time is over.
    this._calm.invoke().catch(() => undefined);
  }

  private readonly _connections: IPageConnections;
  private _connection: PageConnection | null = null;
  private _source: string | undefined;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _calm = new Debouncer(() => this._changed.emit(), CALM);
}
