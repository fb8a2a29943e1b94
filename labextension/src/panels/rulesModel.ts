import { type ISignal, Signal } from '@lumino/signaling';
import { type IRules, parseRules } from '../comm/approvalMessages';
import { errorText } from '../turn/text';
import type { PageConnection } from '../live/pageConnection';
import type { IPageConnections } from '../tokens';
import { isObject } from '../turn/reading';

/** Messages of the kernel after which there may be other rules. */
const CHANGES = new Set<unknown>(['approval.closed', 'approvals.used']);

/** A rule as a person writes it; an empty text stands for any. */
export interface IWrittenRule {
  readonly tool: string;
  readonly arguments: string;
  readonly folder: string;
}

/** The approval rules that the kernel of the current chat knows. */
export class RulesModel {
  constructor(private readonly _connections: IPageConnections) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Null until the kernel has answered. */
  get rules(): IRules | null {
    return this._rules;
  }

  /** Why the rules are not known, or why something was refused; empty if all is well. */
  get problem(): string {
    return this._problem;
  }

  /** Ask for the rules, now and when they may be others. */
  start(): void {
    this._follow();
  }

  stop(): void {
    this._unfollow();
  }

  dispose(): void {
    this.stop();
    Signal.clearData(this);
  }

  /** Keep a rule, in the place of another if a key is given; return whether it was kept. */
  save(rule: IWrittenRule, key: string | null): Promise<boolean> {
    return key === null
      ? this._change('approvals.add', { ...rule })
      : this._change('approvals.change', { ...rule, key });
  }

  /** Take an approval back. */
  remove(key: string): Promise<boolean> {
    return this._change('approvals.delete', { key });
  }

  /** Change the rules of the kernel whose rules are shown. */
  private async _change(
    name: string,
    params: Record<string, string>
  ): Promise<boolean> {
    const connection = this._connection;
    try {
      await connection?.queries.ask(name, params);
    } catch (reason) {
      this._show(this._rules, errorText(reason));
      return false;
    }
    if (connection !== null && connection === this._connection) {
      await this._load();
    }
    return connection !== null;
  }

  private _onCurrent(): void {
    if (this._connections.current !== this._connection) {
      this._follow();
    }
  }

  private _follow(): void {
    const { current } = this._connections;
    this._unfollow();
    this._connection = current;
    this._connections.currentChanged.connect(this._onCurrent, this);
    // After a restart the rules are others.
    current?.connected.connect(this._refresh, this);
    current?.received.connect(this._onMessage, this);
    current?.panel.sessionContext.kernelChanged.connect(this._follow, this);
    // A panel that was hidden keeps its rules, and what a person has begun to write.
    if (current !== (this._shown?.deref() ?? null)) {
      this._shown = current && new WeakRef(current);
      this._show(null, '');
    }
    void this._load();
  }

  private _unfollow(): void {
    Signal.disconnectReceiver(this);
    this._connection = null;
    this._asked++;
  }

  /** An answer may have made a rule; the kernel has kept it before it handles the next query. */
  private _onMessage(_: PageConnection, message: unknown): void {
    if (isObject(message) && CHANGES.has(message.type)) {
      this._refresh();
    }
  }

  private _refresh(): void {
    void this._load();
  }

  private async _load(): Promise<void> {
    const connection = this._connection;
    const asked = ++this._asked;
    if (connection === null || !connection.isChat) {
      this._show(null, '');
      return;
    }
    try {
      const answer = await connection.queries.ask('approvals.list');
      if (asked === this._asked) {
        this._show(parseRules(answer), '');
      }
    } catch (reason) {
      if (asked === this._asked) {
        this._show(this._rules, errorText(reason));
      }
    }
  }

  private _show(rules: IRules | null, problem: string): void {
    this._rules = rules;
    this._problem = problem;
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _connection: PageConnection | null = null;
  /** The chat that the rules are of; kept while the panel is hidden. */
  private _shown: WeakRef<PageConnection> | null = null;
  private _rules: IRules | null = null;
  private _problem = '';
  /** Number of the last question, by which answers that come too late are known. */
  private _asked = 0;
}
