import type { Contents } from '@jupyterlab/services';
import { Poll } from '@lumino/polling';
import { type ISignal, Signal } from '@lumino/signaling';
import { errorText } from '../turn/text';
import type { PageConnection } from '../live/pageConnection';
import type { IPageConnections } from '../tokens';
import {
  folderOf,
  type IListedAgent,
  keepAgents,
  parseAgentList
} from './agentRows';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { asText, fields, isObject, listOf, whole } from '../turn/reading';

/** Milliseconds between two looks at the folder: other programs change files without a signal. */
const LOOK_INTERVAL = 5000;

/** Milliseconds that signals are gathered. */
const SIGNAL_PAUSE = 100;

/** Least milliseconds between two looks: a kernel that runs a turn signals many times a second. */
const LOOK_PAUSE = 1000;

/** The agents of one folder. */
export interface IAgentGroup {
  readonly folder: string;
  readonly agents: readonly IListedAgent[];
  readonly further: number;
  /** Why the server cannot list them; empty if it can. */
  readonly problem: string;
}

/** Services that the agents are found with. */
export interface IAgentSources {
  readonly connections: IPageConnections;
  readonly contents: Contents.IManager;
  /** Ask the server for the conversations of a folder. */
  readonly list: (folder: string) => Promise<unknown>;
  /** Return the folder to show when no chat is open. */
  readonly folder: () => string;
  /** Emitted when that folder has changed. */
  readonly folderChanged: ISignal<unknown, unknown> | null;
}

/**
 * The conversations of the folder of the chat in front, and those that run in other folders.
 *
 * Between `start` and `stop` they are kept up to date; otherwise nothing is asked or followed.
 */
export class AgentsModel {
  constructor(private readonly _sources: IAgentSources) {
    this._runners = new AgentRunners(this._sources.connections);
    this._poll = new Poll({
      auto: false,
      factory: () => this._look(),
      frequency: { interval: LOOK_INTERVAL, backoff: true, max: 60_000 },
      name: '@msgbook/labextension:agents',
      standby: 'when-hidden'
    });
  }

  /** The folders; the one of the chat in front is the first. */
  get groups(): readonly IAgentGroup[] {
    return this._groups;
  }

  /** Emitted when the agents may have changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Follow the agents from now on. */
  start(): void {
    if (this._follows) {
      return;
    }
    this._follows = true;
    const { connections, contents, folderChanged } = this._sources;
    this._runners.start();
    this._runners.changed.connect(this.refresh, this);
    connections.currentChanged.connect(this.refresh, this);
    contents.fileChanged.connect(this.refresh, this);
    folderChanged?.connect(this.refresh, this);
    void this._poll.start();
    this.refresh();
  }

  /** Stop following the agents. */
  stop(): void {
    this._follows = false;
    window.clearTimeout(this._timer);
    this._timer = undefined;
    // The answer to a question that is still open comes too late.
    this._looks++;
    Signal.disconnectReceiver(this);
    this._runners.stop();
    void this._poll.stop();
  }

  dispose(): void {
    this.stop();
    this._poll.dispose();
    Signal.clearData(this);
  }

  /** Look at the agents soon. */
  refresh(): void {
    if (this._follows && this._timer === undefined) {
      const wait = this._lookedAt + LOOK_PAUSE - Date.now();
      this._timer = window.setTimeout(
        () => {
          this._timer = undefined;
          void this._poll.refresh();
        },
        Math.max(SIGNAL_PAUSE, wait)
      );
    }
  }

  /** Return whether an agent is open in this page, or in another one. */
  isOpen(agent: IListedAgent): boolean {
    return agent.isOpen || this._connectionAt(agent) !== undefined;
  }

  /** Return whether an open notebook runs an agent, so that it can be stopped here. */
  canStop(agent: IListedAgent): boolean {
    return (
      this._runners.find(agent.uuid) !== undefined ||
      this._kernelOf(agent) !== null
    );
  }

  /** Stop one agent, with its sub-agents; reject with words for the reader if that is not possible. */
  async stopAgent(agent: IListedAgent): Promise<void> {
    const runner = this._runners.find(agent.uuid);
    if (runner !== undefined) {
      await runner.connection.queries.ask('subagent.stop', {
        cell_id: runner.cellId,
        uuid: agent.uuid
      });
    } else {
      await this._kernelOf(agent)?.interrupt();
    }
    this.refresh();
  }

  private _kernelOf(
    agent: IListedAgent
  ): { interrupt(): Promise<void> } | null {
    const connection =
      agent.status === 'running' ? this._connectionAt(agent) : undefined;
    return connection?.panel.sessionContext.session?.kernel ?? null;
  }

  private _connectionAt({ path }: IListedAgent): PageConnection | undefined {
    return this._sources.connections.all.find(
      ({ panel }) => panel.context.localPath === path
    );
  }

  private async _look(): Promise<void> {
    const first = this._folder();
    const look = ++this._looks;
    this._lookedAt = Date.now();
    const { group, running } = await this._list(first);
    const groups = [group];
    for (const folder of new Set([...this._busyFolders(), ...running])) {
      if (folder !== first && look === this._looks) {
        groups.push(...(await this._activeGroup(folder)));
      }
    }
    // Of two looks at once, the later one counts.
    if (look === this._looks) {
      this._groups = groups;
      this._changed.emit();
    }
  }

  private async _list(
    folder: string
  ): Promise<{ group: IAgentGroup; running: readonly string[] }> {
    try {
      const answer = parseAgentList(await this._sources.list(folder));
      const { roots: agents, further, running } = answer;
      return { group: { folder, agents, further, problem: '' }, running };
    } catch (reason) {
      const problem = errorText(reason);
      return {
        group: { folder, agents: [], further: 0, problem },
        running: []
      };
    }
  }

  /** Return the conversations of a folder that run, or nothing if none does. */
  private async _activeGroup(folder: string): Promise<IAgentGroup[]> {
    const { group } = await this._list(folder);
    const agents = keepAgents(group.agents, agent => this._isActive(agent));
    return agents.length > 0 || group.problem !== ''
      ? [{ ...group, agents, further: 0 }]
      : [];
  }

  private _isActive(agent: IListedAgent): boolean {
    return agent.status === 'running' || this.canStop(agent);
  }

  /** Return the folder of the chat in front. */
  private _folder(): string {
    const { connections, folder } = this._sources;
    const current = connections.current;
    return current?.isChat === true
      ? folderOf(current.panel.context.localPath)
      : folder();
  }

  /** Return the folders of the open chats that run, which not every system marks. */
  private _busyFolders(): string[] {
    return this._sources.connections.all
      .filter(connection => this._runners.isBusy(connection))
      .map(({ panel }) => folderOf(panel.context.localPath));
  }

  private readonly _poll: Poll;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _runners: AgentRunners;
  private _groups: readonly IAgentGroup[] = [];
  private _follows = false;
  private _looks = 0;
  private _lookedAt = 0;
  private _timer: number | undefined;
}

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
  constructor(private readonly _connections: IPageConnections) {}

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

  private readonly _changed = new Signal<this, void>(this);
  /** The cells that sub-agents work for, by their ids. */
  private readonly _running = new Map<PageConnection, Map<string, string>>();
  /** The number of the last question to each kernel: answers to earlier ones do not count. */
  private readonly _last = new WeakMap<PageConnection, number>();
  private _asked = 0;
  private _follows = false;
}

const readRunning = fields({
  running: listOf(whole({ uuid: asText, cellId: asText }))
});

function parseRunning(answer: JSONObject): Map<string, string> {
  const { running } = readRunning(answer);
  return new Map(running.map(({ uuid, cellId }) => [uuid, cellId]));
}
