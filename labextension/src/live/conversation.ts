import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import type { Choice, IApprovalQuestion } from '../comm/approval';
import { CellsReporter, parseCellsQuestion } from '../comm/cells';
import { GONE } from '../comm/kernelComm';
import { KernelLink } from '../comm/kernelLink';
import { parseMark } from '../comm/mark';
import type { Execution, ITurnHost } from '../render/host';
import type { TurnJson } from '../turn/delta';
import { isObject, text } from '../turn/model';
import { Approvals } from './approvals';
import { LiveTurns } from './liveTurns';
import { NotebookPage } from './notebookPage';

/**
 * What one open notebook and its kernel say to each other beside JupyterLab's own messages.
 *
 * Lives as long as the panel.
 */
export class Conversation implements ITurnHost {
  constructor(panel: NotebookPanel) {
    const { context, sessionContext } = panel;
    this._panel = panel;
    this.page = new NotebookPage(
      panel.content,
      () => sessionContext.session?.kernel?.clientId ?? null
    );
    const send = (data: JSONObject) => this._link.send(data);
    this._turns = new LiveTurns(this.page, send);
    this.approvals = new Approvals(this.page, send);
    this._link = new KernelLink(sessionContext, data => this._receive(data));
    this._link.opened.connect(this._ask, this);
    sessionContext.iopubMessage.connect(this._onOutput, this);
    sessionContext.statusChanged.connect(this._onStatus, this);
    sessionContext.connectionStatusChanged.connect(this._onConnection, this);
    sessionContext.kernelChanged.connect(this._end, this);
    // Emitted before the content to save is taken.
    context.saveState.connect(this._write, this);
    window.addEventListener('pagehide', this._onHide);
    document.addEventListener('visibilitychange', this._onHide);
    panel.disposed.connect(this._dispose, this);
  }

  readonly page: NotebookPage;
  readonly approvals: Approvals;

  /**
   * A cell's own state comes before the kernel's status: that one is `idle` in mid-turn too, when a
   * subshell has handled a comm message. A page that was loaded in mid-turn hears of it only over
   * the comm.
   */
  execution(node: Node): Execution {
    const { isReady, session } = this._panel.sessionContext;
    const status = session?.kernel?.status;
    if (status === undefined) {
      return isReady ? 'idle' : 'connecting';
    }
    if (GONE.has(status) || status === 'starting') {
      return 'idle';
    }
    const cellId = this.page.cellIdOf(node);
    if (cellId === null) {
      return 'unknown';
    }
    if (this.page.isRunning(cellId)) {
      return 'running';
    }
    if (
      status === 'unknown' ||
      this._link.isOpening ||
      this._turns.isAsked(cellId)
    ) {
      return 'connecting';
    }
    return status === 'idle' || this.page.isAnyRunning() ? 'idle' : 'unknown';
  }

  current(node: Node): TurnJson | null {
    const cellId = this.page.cellIdOf(node);
    return cellId === null ? null : this._turns.current(cellId);
  }

  questions(node: Node): readonly IApprovalQuestion[] {
    const cellId = this.page.cellIdOf(node);
    return cellId === null ? [] : this.approvals.of(cellId);
  }

  answer(question: IApprovalQuestion, choice: Choice, reason: string): void {
    this.approvals.answer(question, choice, reason);
  }

  /** Bring the first open question into view and give it the keyboard's focus. */
  async goToQuestion(): Promise<void> {
    const [question] = this.approvals.all;
    const cell = question && (await this.page.reveal(question.cellId));
    const node = cell?.querySelector<HTMLElement>('.msgbook-Approval');
    node?.scrollIntoView({ block: 'nearest' });
    node?.focus({ preventScroll: true });
  }

  private _receive(data: JSONValue): JSONObject | null {
    const question = parseCellsQuestion(data);
    if (question !== null) {
      this._turns.write();
      const model = this._panel.content.model;
      // Cells and metadata are JSON as nbformat defines it; its types allow `undefined`, JSON does not.
      return this._cells.answer(question, model?.cells ?? [], () =>
        model!.sharedModel.getMetadata()
      ) as unknown as JSONObject;
    }
    const mark = parseMark(data);
    if (mark !== null) {
      this.page.mark(mark);
      return null;
    }
    this._turns.receive(data);
    const asked = this.approvals.receive(data);
    if (asked !== null) {
      this._turns.ensureShown(asked.cellId);
    }
    return null;
  }

  private _ask(): void {
    void this._panel.context.ready.then(() => {
      if (!this._panel.isDisposed) {
        this._turns.ask();
      }
    });
  }

  /** Take over what JupyterLab shows only where the cell was run. */
  private _onOutput(_: unknown, message: KernelMessage.IMessage): void {
    const parent = (message.parent_header as { msg_id?: string }).msg_id;
    const content: unknown = message.content;
    switch (message.header.msg_type) {
      case 'display_data':
      case 'update_display_data': {
        if (!isObject(content) || !isObject(content.transient)) {
          return;
        }
        const displayId = text(content.transient.display_id);
        if (displayId !== undefined && isObject(content.data)) {
          const data = content.data as JSONObject;
          const cellId = this._turns.output(displayId, data);
          if (cellId !== null) {
            this._adopted = { cellId, parent };
          }
        }
        return;
      }
      case 'error':
        if (parent !== undefined && parent === this._adopted?.parent) {
          this.page.addOutput(this._adopted.cellId, {
            ...(content as JSONObject),
            output_type: 'error'
          });
          this._adopted = null;
        }
    }
  }

  private _onStatus(_: unknown, status: Kernel.Status): void {
    if (GONE.has(status)) {
      this._end();
    }
  }

  private _onConnection(_: unknown, status: Kernel.ConnectionStatus): void {
    if (status === 'connected') {
      this._ask();
    } else {
      this._turns.write();
    }
  }

  private _end(): void {
    this._turns.end();
    this.approvals.clear();
    this._cells.forget();
  }

  private _write(): void {
    this._turns.write();
  }

  private readonly _onHide = (): void => this._write();

  private _dispose(): void {
    window.removeEventListener('pagehide', this._onHide);
    document.removeEventListener('visibilitychange', this._onHide);
    Signal.clearData(this);
    this._link.dispose();
  }

  private readonly _panel: NotebookPanel;
  private readonly _turns: LiveTurns;
  private readonly _cells = new CellsReporter();
  private readonly _link: KernelLink;
  /** The cell of the last turn that was taken over, and the request that ran it. */
  private _adopted: { cellId: string; parent: string | undefined } | null =
    null;
}
