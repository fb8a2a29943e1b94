import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import type { PageConnection } from '../live/pageConnection';
import type { IPageConnections } from '../tokens';
import { asObjects, asText, isObject } from '../turn/model';

/** Milliseconds that a kernel has to say what it runs. */
const PATIENCE = 3000;

/** Where a sub-agent runs. */
export interface IAgentRunner {
  readonly connection: PageConnection;
  /** The cell of the connection's notebook for which it works. */
  readonly cellId: string;
}

/** The kernels of the open notebooks, and the sub-agents that each of them runs. */
export class AgentRunners {
  constructor(connections: IPageConnections) {
    this._connections = connections;
  }

  /** Emitted when something has begun or ended, as far as the kernels tell. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Follow the kernels until `stop`. */
  start(): void {
    this._follows = true;
    this._connections.all.forEach(this._join, this);
    this._connections.added.connect(this._onAdded, this);
  }

  stop(): void {
    this._follows = false;
    this._running.clear();
    Signal.disconnectReceiver(this);
  }

  /** Return where a sub-agent runs; undefined if no open notebook runs it. */
  find(uuid: string): IAgentRunner | undefined {
    for (const [connection, running] of this._running) {
      const cellId = running.get(uuid);
      if (cellId !== undefined) {
        return { connection, cellId };
      }
    }
    return undefined;
  }

  /** Return whether a chat or one of its sub-agents runs. */
  isBusy(connection: PageConnection): boolean {
    const count = this._running.get(connection)?.size ?? 0;
    return connection.isChat && (count > 0 || connection.cells.isAnyRunning());
  }

  private _onAdded(_: unknown, connection: PageConnection): void {
    this._join(connection);
    this._emit();
  }

  private _join(connection: PageConnection): void {
    const { context, disposed, sessionContext } = connection.panel;
    connection.connected.connect(this._ask, this);
    connection.received.connect(this._onReceived, this);
    sessionContext.statusChanged.connect(this._emit, this);
    sessionContext.kernelChanged.connect(this._emit, this);
    context.pathChanged.connect(this._emit, this);
    disposed.connect(this._onDisposed, this);
    this._ask(connection);
  }

  private _onReceived(connection: PageConnection, data: JSONValue): void {
    if (isObject(data) && data.type === 'subagents.changed') {
      this._ask(connection);
    }
  }

  private _onDisposed(): void {
    for (const connection of this._running.keys()) {
      if (connection.panel.isDisposed) {
        this._running.delete(connection);
      }
    }
    this._emit();
  }

  private _ask(connection: PageConnection): void {
    if (connection.isChat) {
      const asked = ++this._asked;
      this._last.set(connection, asked);
      const take = (answer: JSONObject) => {
        if (this._last.get(connection) === asked) {
          this._take(connection, answer);
        }
      };
      connection.queries
        .ask('subagent.list', {}, PATIENCE)
        // A kernel that is gone or busy runs nothing that could be stopped.
        .then(take, () => take({}));
    }
  }

  private _take(connection: PageConnection, answer: JSONObject): void {
    if (this._follows && !connection.panel.isDisposed) {
      this._running.set(connection, parseRunning(answer));
      this._emit();
    }
  }

  private _emit(): void {
    this._changed.emit();
  }

  private readonly _connections: IPageConnections;
  private readonly _changed = new Signal<this, void>(this);
  /** The cells that sub-agents work for, by their ids. */
  private readonly _running = new Map<PageConnection, Map<string, string>>();
  /** The number of the last question to each kernel: answers to earlier ones do not count. */
  private readonly _last = new WeakMap<PageConnection, number>();
  private _asked = 0;
  private _follows = false;
}

function parseRunning(answer: JSONObject): Map<string, string> {
  const running = new Map<string, string>();
  for (const row of asObjects(answer.running)) {
    const uuid = asText(row.uuid);
    const cellId = asText(row.cell_id);
    if (uuid !== undefined && cellId !== undefined) {
      running.set(uuid, cellId);
    }
  }
  return running;
}
