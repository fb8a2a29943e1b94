import { Signal, type ISignal } from '@lumino/signaling';

import { parseRules, type IRules } from '../comm/ruleAnswers';
import type { IPageConnections } from '../tokens';

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

  /** Ask for the rules, now and when another chat is used. */
  start(): void {
    this._connections.currentChanged.connect(this._refresh, this);
    this._refresh();
  }

  stop(): void {
    this._connections.currentChanged.disconnect(this._refresh, this);
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
  private _rules: IRules | null = null;
  private _problem = '';
}
