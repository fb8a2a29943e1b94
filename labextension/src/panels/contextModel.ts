import type { TranslationBundle } from '@jupyterlab/translation';
import type { JSONObject } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';
import {
  type IShownRequest,
  type ISwitch,
  type ISwitches,
  parseRequest
} from '../comm/contextAnswers';
import { setHistory } from '../cells/changes';
import { QueryError } from '../comm/queries';
import { isChatNotebook } from '../live/chatNotebook';
import { errorText } from '../turn/text';
import type { PageConnection } from '../live/pageConnection';
import { setSwitch } from '../live/switches';
import type { IPageConnections } from '../tokens';
import type { ISessionContext } from '@jupyterlab/apputils';
import { type Notebook, NotebookActions } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Debouncer } from '@lumino/polling';
import { GONE } from '../comm/kernelComm';

/** What the Context panel shows, as long as it is visible. */
export class ContextModel {
  constructor(
    connections: IPageConnections,
    private readonly _trans: TranslationBundle
  ) {
    this._followed = new FollowedCell(connections);
    this._followed.changed.connect(() => void this._ask());
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The notebook's connection; null if no chat is in front. */
  get connection(): PageConnection | null {
    const { connection } = this._followed;
    return connection && isChatNotebook(connection.panel.sessionContext)
      ? connection
      : null;
  }

  /** The last request that is known of the notebook; null before the first. */
  get request(): IShownRequest | null {
    return this._request;
  }

  /** Why the request is not that of the cell now; empty if it is. */
  get problem(): string {
    return this._problem;
  }

  get isAsking(): boolean {
    return this._isAsking;
  }

  start(): void {
    this._followed.start();
  }

  stop(): void {
    this._asked++;
    this._followed.stop();
  }

  /** Return the whole text of a message. */
  async readMessage(index: number): Promise<string> {
    const { text, hash } = await this._query('context.message', { index });
    if (hash !== this._request?.hash) {
      void this._ask();
    }
    return typeof text === 'string' ? text : '';
  }

  /** Return the body of the request, as `msgbook preview --json` prints it. */
  async readBody(): Promise<JSONObject> {
    return (await this._query('context.body')).body as JSONObject;
  }

  /** Scroll to a cell. */
  async show(cellId: string): Promise<void> {
    const node = await this.connection?.cells.reveal(cellId);
    node?.classList.remove('msgbook-mod-shown');
    // Read so that the browser begins the animation again.
    void node?.offsetWidth;
    node?.classList.add('msgbook-mod-shown');
  }

  /** Send a cell from now on, or not. */
  include(cellId: string, isIncluded: boolean): void {
    const model = this.connection?.panel.content.model;
    const cells = Array.from(model?.cells ?? []);
    const cell = cells.find(({ id }) => id === cellId);
    if (model && cell) {
      setHistory(model, [cell], isIncluded ? 'include' : 'exclude');
    }
  }

  /** Let the model get something beside the cells, or not. */
  turn(group: ISwitches, item: ISwitch, isOn: boolean): void {
    const notebook = this.connection?.panel.content;
    if (notebook?.model) {
      setSwitch(notebook.model, notebook.activeCellIndex, group, item, isOn);
    }
  }

  dispose(): void {
    this.stop();
    this._followed.dispose();
    Signal.clearData(this);
  }

  private async _ask(): Promise<void> {
    const asked = ++this._asked;
    const { connection } = this;
    if (connection !== (this._shown?.deref() ?? null)) {
      this._shown = connection && new WeakRef(connection);
      this._request = null;
      this._problem = '';
    }
    this._isAsking = connection !== null;
    this._changed.emit();
    if (connection === null) {
      return;
    }
    try {
      const request = parseRequest(await this._query('context.request'));
      if (asked === this._asked) {
        this._request = request ?? this._request;
        this._problem = request === null ? this._unreadable : '';
      }
    } catch (error) {
      if (asked === this._asked) {
        this._problem = errorText(error);
      }
    }
    if (asked === this._asked) {
      this._isAsking = false;
      this._changed.emit();
    }
  }

  private get _unreadable(): string {
    return this._trans.__(
      'The kernel answered with something that is no request. Restart it; if that does not help, update msgbook in its environment.'
    );
  }

  private _query(name: string, params: JSONObject = {}): Promise<JSONObject> {
    const { connection } = this;
    const { cellId } = this._followed;
    return connection === null || cellId === null
      ? Promise.reject(new QueryError(''))
      : connection.queries.ask(name, { cell_id: cellId, ...params });
  }

  private readonly _followed: FollowedCell;
  private readonly _changed = new Signal<this, void>(this);
  private _request: IShownRequest | null = null;
  /** The chat that the request is of; kept while the panel is hidden, unless it is closed. */
  private _shown: WeakRef<PageConnection> | null = null;
  private _problem = '';
  private _isAsking = false;
  /** Number of the last question, by which answers that come too late are known. */
  private _asked = 0;
}

/** Milliseconds without another change before a change counts. */
const CALM = 400;

/**
 * The cell that a panel is about: the active one of the notebook that was used last.
 *
 * Between `start` and `stop` it says when something may have changed: another cell, an edit, the end of
 * a run, another kernel. What a running turn adds does not count.
 */
export class FollowedCell implements IDisposable {
  constructor(private readonly _connections: IPageConnections) {}

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

  private _connection: PageConnection | null = null;
  private _source: string | undefined;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _calm = new Debouncer(() => this._changed.emit(), CALM);
}
