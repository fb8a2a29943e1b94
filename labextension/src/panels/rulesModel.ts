import { Signal, type ISignal } from '@lumino/signaling';

import { parseClosed } from '../comm/approvalMessages';
import { parseRules, type IRules } from '../comm/ruleAnswers';
import type { PageConnection } from '../live/pageConnection';
import type { IPageConnections } from '../tokens';
import { isObject } from '../turn/model';

/** A rule as a person writes it; an empty text stands for any. */
export interface IWrittenRule {
  readonly tool: string;
  readonly arguments: string;
  readonly folder: string;
}

/** The approval rules that the kernel of the current chat knows. */
export class RulesModel {
  constructor(connections: IPageConnections) {
    this._connections = connections;
  }

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

  /** Ask for the rules, now, after each answer and when another chat is used. */
  start(): void {
    this._connections.currentChanged.connect(this._follow, this);
    this._follow();
  }

  stop(): void {
    this._connections.currentChanged.disconnect(this._follow, this);
    this._followed?.received.disconnect(this._onMessage, this);
    this._followed = null;
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

  private async _change(
    name: string,
    params: Record<string, string>
  ): Promise<boolean> {
    const isDone = await this._ask(name, params);
    if (isDone) {
      await this._load();
    }
    this._changed.emit();
    return isDone;
  }

  private _follow(): void {
    this._followed?.received.disconnect(this._onMessage, this);
    this._followed = this._connections.current;
    this._followed?.received.connect(this._onMessage, this);
    this._refresh();
  }

  /** An answer may have made a rule; the kernel has kept it before it handles the next query. */
  private _onMessage(_: PageConnection, message: unknown): void {
    const isUse = isObject(message) && message.type === 'approvals.used';
    if (isUse || parseClosed(message) !== null) {
      this._refresh();
    }
  }

  private _refresh(): void {
    void this._load().then(() => this._changed.emit());
  }

  private async _load(): Promise<void> {
    await this._ask('approvals.list', {});
  }

  /** Ask the kernel; return whether it did what was asked. */
  private async _ask(
    name: string,
    params: Record<string, string>
  ): Promise<boolean> {
    const { current } = this._connections;
    if (current === null || !current.isChat) {
      this._rules = null;
      this._problem = '';
      return false;
    }
    try {
      const answer = await current.queries.ask(name, params);
      if (name === 'approvals.list') {
        this._rules = parseRules(answer);
      }
      this._problem = '';
      return true;
    } catch (reason) {
      this._problem = reason instanceof Error ? reason.message : '';
      return false;
    }
  }

  private readonly _connections: IPageConnections;
  private readonly _changed = new Signal<this, void>(this);
  private _followed: PageConnection | null = null;
  private _rules: IRules | null = null;
  private _problem = '';
}
