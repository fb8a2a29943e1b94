import { type Notebook, NotebookActions } from '@jupyterlab/notebook';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { type Message, MessageLoop } from '@lumino/messaging';
import { Debouncer } from '@lumino/polling';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import React from 'react';
import { type IUsage, parseUsage } from '../comm/contextAnswers';
import type { PageConnection } from '../live/pageConnection';
import type { IPageConnections } from '../tokens';
import { formatCount } from '../turn/wording';

/** Milliseconds without another change before the tokens are counted again. */
const CALM = 300;

/** The tokens of the notebook in front, in the status bar. While that is hidden, nothing is asked. */
export class UsageItem extends ReactWidget {
  constructor(
    private readonly _shell: JupyterFrontEnd.IShell,
    private readonly _connections: IPageConnections,
    private readonly _trans: TranslationBundle,
    /** Opens the Context panel. */
    private readonly _open: () => void
  ) {
    super();
    this.addClass('msgbook-Usage');
  }

  /** Whether there is anything to show: tokens of the chat in front. */
  get isActive(): boolean {
    const usage = this._usage;
    return (
      usage !== null &&
      usage.turns > 0 &&
      (usage.input.known ?? usage.output.known) !== null &&
      this._shell.currentWidget === this._connection?.panel
    );
  }

  get activeChanged(): ISignal<this, void> {
    return this._activeChanged;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._calm.dispose();
      Signal.clearData(this);
      super.dispose();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._bar = this.parent;
    if (this._bar !== null) {
      MessageLoop.installMessageHook(this._bar, this._onBar);
      this._setRunning(this._bar.isVisible);
    }
  }

  protected override onBeforeDetach(message: Message): void {
    if (this._bar !== null) {
      MessageLoop.removeMessageHook(this._bar, this._onBar);
      this._bar = null;
    }
    this._setRunning(false);
    super.onBeforeDetach(message);
  }

  protected override render(): JSX.Element | null {
    return this._usage === null ? null : (
      <button
        type="button"
        className="msgbook-Usage-button"
        title={describeUsage(this._usage, this._trans)}
        onClick={this._open}
      >
        {formatUsage(this._usage, this._trans)}
      </button>
    );
  }

  /** Hear from the bar, because an item without anything to show is hidden itself. */
  private readonly _onBar = (_: unknown, { type }: Message): boolean => {
    if (type === 'after-show' || type === 'before-hide') {
      this._setRunning(type === 'after-show');
    }
    return true;
  };

  private _setRunning(isRunning: boolean): void {
    if (isRunning === this._isRunning) {
      return;
    }
    this._isRunning = isRunning;
    if (isRunning) {
      this._follow();
    } else {
      Signal.disconnectReceiver(this);
      void this._calm.stop();
      // The answer to a question that is still open comes too late.
      this._asked++;
    }
  }

  private _follow(): void {
    const { current } = this._connections;
    const isOther = current !== this._connection;
    this._join(current);
    if (isOther) {
      this._show(null);
    }
    this._soon();
  }

  /** Hear of one notebook, and of no other. */
  private _join(connection: PageConnection | null): void {
    Signal.disconnectReceiver(this);
    this._connections.currentChanged.connect(this._follow, this);
    this._shell.currentChanged?.connect(this._onShown, this);
    NotebookActions.executed.connect(this._onExecuted, this);
    this._connection = connection;
    if (connection !== null) {
      const { context, sessionContext } = connection.panel;
      connection.connected.connect(this._soon, this);
      context.model.cells.changed.connect(this._soon, this);
      sessionContext.kernelChanged.connect(this._onKernel, this);
      sessionContext.statusChanged.connect(this._onStatus, this);
    }
  }

  /** Show nothing of a kernel that is gone; a new one says when it can be asked. */
  private _onKernel(): void {
    this._show(null);
  }

  /** A cell may have ended that another page runs. */
  private _onStatus(): void {
    if (this._isPutOff) {
      this._soon();
    }
  }

  private _onShown(): void {
    this._activeChanged.emit();
  }

  private _onExecuted(_: unknown, { notebook }: { notebook: Notebook }): void {
    if (notebook === this._connection?.panel.content) {
      this._soon();
    }
  }

  private _soon(): void {
    this._calm.invoke().catch(() => undefined);
  }

  private async _ask(): Promise<void> {
    const connection = this._connection;
    const cells = connection?.panel.context.model.cells;
    if (!connection?.isChat || !cells || cells.length === 0) {
      return;
    }
    // What a turn takes is known when it has ended.
    this._isPutOff = connection.cells.isAnyRunning();
    if (this._isPutOff) {
      return;
    }
    const asked = ++this._asked;
    try {
      const usage = await connection.queries.ask('usage.total', {
        cell_id: cells.get(cells.length - 1).id
      });
      if (asked === this._asked && connection === this._connection) {
        this._show(parseUsage(usage));
      }
    } catch {
      // The last numbers stay: the kernel is busy or gone, and the panel says which.
    }
  }

  private _show(usage: IUsage | null): void {
    this._usage = usage;
    this.update();
    this._activeChanged.emit();
  }

  /** The part of the status bar with this item. */
  private _bar: Widget | null = null;
  private _isRunning = false;
  private _connection: PageConnection | null = null;
  private _usage: IUsage | null = null;
  /** Whether the last question was not asked because a cell ran. */
  private _isPutOff = false;
  /** Number of the last question, by which answers that come too late are known. */
  private _asked = 0;
  private readonly _activeChanged = new Signal<this, void>(this);
  private readonly _calm = new Debouncer(() => this._ask(), CALM);
}

/** Return the counts in a few characters. */
export function formatUsage(usage: IUsage, trans: TranslationBundle): string {
  const { input, output, cached, cost, window_share } = usage;
  const isComplete = input.is_complete && output.is_complete;
  const counts = [
    formatCount(input.known ?? 0),
    formatCount(output.known ?? 0)
  ];
  // Said once; the tooltip explains it.
  const parts = [
    isComplete
      ? trans.__('%1 → %2 tokens', ...counts)
      : trans.__('≥ %1 → %2 tokens', ...counts)
  ];
  if (cached.known) {
    parts.push(trans.__('%1 cached', formatCount(cached.known)));
  }
  if (window_share !== null) {
    parts.push(trans.__('%1% of the window', Math.round(window_share * 100)));
  }
  if (cost.known !== null) {
    const amount = cost.known.toFixed(4);
    parts.push(trans.__('cost %1', amount));
  }
  return parts.join(' · ');
}

/** Return what the counts are, in sentences. */
export function describeUsage(usage: IUsage, trans: TranslationBundle): string {
  const lines = [
    trans._n(
      'Tokens of %1 turn in this notebook, sent and received.',
      'Tokens of %1 turns in this notebook, sent and received.',
      usage.turns,
      usage.turns
    )
  ];
  const { input, output, cached, cost, prices } = usage;
  if (![input, output, cached].every(count => count.is_complete)) {
    lines.push(trans.__('≥: a server has not reported all of them.'));
  }
  if (cost.known !== null && !cost.is_complete) {
    lines.push(trans.__('The cost is at least that.'));
  }
  if (cost.known !== null && prices !== null) {
    lines.push(
      trans.__(
        'Prices in US dollars are those of %1, whose newest entry is of %2.',
        prices.source,
        prices.date
      )
    );
  }
  lines.push(trans.__('Click to see what the next message sends.'));
  return lines.join('\n');
}
