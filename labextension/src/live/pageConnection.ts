import type { Cell, ICellModel } from '@jupyterlab/cells';
import { PageConfig, PathExt } from '@jupyterlab/coreutils';
import {
  type Notebook,
  NotebookActions,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { IObservableList } from '@jupyterlab/observables';
import type { Contents, Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import type { Choice, IApprovalQuestion } from '../comm/approvalMessages';
import { parseChangeRequest, applyChange } from '../cells/changesByTools';
import {
  cellSource,
  CellsReporter,
  parseCellsQuestion
} from '../comm/cellMessages';
import { handle, type Handlers, type IMessage } from '../comm/handlers';
import { GONE, KernelLink } from '../comm/kernelComm';
import { type BareCell, bareCellOf } from '../comm/ourKernels';
import { parseAgentKeep, parseHistoryMark } from '../comm/turnMessages';
import { type IQueryWords, Queries } from '../comm/queries';
import {
  type Execution,
  type IConversationLink,
  type ITurnHost,
  type ITurnOffers,
  NO_OFFERS,
  type TurnAction
} from '../render/host';
import type { TurnJson } from '../turn/delta';
import { hasAnswer, parseTurn } from '../turn/model';
import { MirroredOutputs, EarlierAnswers } from './mirroredOutputs';
import { Approvals } from './approvals';
import { EndFollower } from '../view/endFollower';
import { LiveTurns } from './liveTurns';
import { NotebookCells } from './notebookCells';
import { readOnlyLabel, SubagentWatch } from './subagentWatch';
import { runAction } from './turnActions';
import { TurnSaver } from './turnSaver';
import { keepMessageReadyNow } from './messageReady';
import { conversationPath } from '../turn/agentRows';
import type { ISessionContext } from '@jupyterlab/apputils';

/** What the kernel gets at once for a message, if anything. */
type Answer = JSONObject | void;

/**
 * Connection of a page to its kernel, beside JupyterLab's own messages. It lasts as long as the
 * panel.
 */
export class PageConnection implements ITurnHost {
  /** @param saves - Returns whether turns are saved by themselves. */
  constructor(
    panel: NotebookPanel,
    contents: Contents.IManager,
    /** Opens the conversation at a path. */
    private readonly _open: (path: string) => void,
    words: IQueryWords,
    saves: () => boolean
  ) {
    const { context, sessionContext } = panel;
    this.panel = panel;
    this.cells = new NotebookCells(
      panel.content,
      () => sessionContext.session?.kernel?.clientId ?? null
    );
    const send = (data: JSONObject) => this._link.send(data);
    this._saver = new TurnSaver(context, contents, saves);
    this._follower = new EndFollower(panel.content);
    this._turns = new LiveTurns(this.cells, send, {
      begin: (cellId, adopted) => {
        this._follower.begin(cellId);
        this._saver.begin(adopted);
      },
      grow: () => this._saver.grow(),
      end: (cellId, adopted) => {
        this._follower.end();
        this._ended.emit(cellId);
        return this._saver.end(adopted);
      }
    });
    this._outputs = new MirroredOutputs(this.cells, this._turns);
    this.approvals = new Approvals(this.cells, send, cellId =>
      this._turns.ensureShown(cellId)
    );
    this.queries = new Queries(send, words);
    this._handlers = new Map<string, (message: IMessage) => Answer>([
      ...this.queries.handlers,
      ...this._turns.handlers,
      ...this.approvals.handlers,
      ['cells.get', message => this._tellCells(message)],
      ['cells.mark', message => this._markHistory(message)],
      ['cells.change', message => this._changeCells(message)],
      ['agent.keep', message => this._keepAgent(message)]
    ]);
    this._link = new KernelLink(sessionContext, data => this._receive(data));
    this._link.opened.connect(this._ask, this);
    sessionContext.iopubMessage.connect(this._onOutput, this);
    NotebookActions.executionScheduled.connect(this._onScheduled, this);
    sessionContext.statusChanged.connect(this._onStatus, this);
    sessionContext.connectionStatusChanged.connect(this._onConnection, this);
    sessionContext.kernelChanged.connect(this._end, this);
    // The signal is emitted before the content is read for saving.
    context.saveState.connect(this._write, this);
    context.pathChanged.connect(this._tellName, this);
    void context.ready.then(() =>
      panel.content.model?.cells.changed.connect(this._onCells, this)
    );
    window.addEventListener('pagehide', this._write);
    document.addEventListener('visibilitychange', this._write);
    panel.disposed.connect(this._dispose, this);
    let label: Widget | undefined;
    this._subagent = new SubagentWatch(
      context,
      contents,
      saved => this.cells.showOutputs(saved),
      () => {
        this.cells.refreshAll();
        label ??= readOnlyLabel(panel);
        if (!this._subagent.isRunning) {
          label?.dispose();
        }
      },
      () => keepMessageReadyNow(context)
    );
  }

  readonly panel: NotebookPanel;
  readonly cells: NotebookCells;
  readonly approvals: Approvals;
  readonly queries: Queries;

  /** Opens the form that connects a model. */
  connectModel?: () => void;

  /** Lets the person choose another model for a cell in a list, and runs the cell again. */
  chooseModel?: (cellId: string, anchor: Element) => void;

  /** Emitted with the id of a cell whose turn has ended in the outputs. */
  get turnEnded(): ISignal<this, string> {
    return this._ended;
  }

  /** True on a msgbook kernel; the notebooks of other kernels are left as they are. */
  get isChat(): boolean {
    return this.bareCell !== null;
  }

  /** What a bare cell of the notebook is; null without a msgbook kernel. */
  get bareCell(): BareCell | null {
    return bareCellOf(this.panel.sessionContext.session?.kernel?.name);
  }

  /** Emitted when queries can be sent, again after each restart of the kernel. */
  get connected(): ISignal<this, void> {
    return this._connected;
  }

  /** Emitted with each message of the kernel, before it is handled. */
  get received(): ISignal<this, JSONValue> {
    return this._received;
  }

  execution(node: Node): Execution {
    return this._subagent.isRunning
      ? 'running'
      : executionOf(this.panel.sessionContext, this.cells.cellIdOf(node), {
          cells: this.cells,
          isOpening: this._link.isOpening,
          isAsked: cellId => this._turns.isAsked(cellId)
        });
  }

  currentTurn(node: Node): TurnJson | null {
    const cellId = this.cells.cellIdOf(node);
    return cellId === null ? null : this._turns.currentTurn(cellId);
  }

  questions(node: Node): readonly IApprovalQuestion[] {
    const cellId = this.cells.cellIdOf(node);
    return cellId === null ? [] : this.approvals.questionsOf(cellId);
  }

  answer(question: IApprovalQuestion, choice: Choice, reason: string): void {
    this.approvals.answer(question, choice, reason);
  }

  offers(node: Node): ITurnOffers {
    const { cells } = this;
    const cellId = cells.cellIdOf(node);
    return cellId === null
      ? NO_OFFERS
      : {
          stop: !this._subagent.isRunning,
          // It looks for the cell, and most turns do not ask.
          get isContinued() {
            return cells.isContinued(cellId);
          },
          other: this._earlier.of(cellId)
        };
  }

  readonly act = async (node: Node, action: TurnAction): Promise<void> => {
    const cellId = this.cells.cellIdOf(node);
    if (cellId === null) {
      return;
    }
    switch (action.kind) {
      case 'model':
        this.chooseModel?.(cellId, action.anchor);
        return;
      case 'swap':
        this.cells.withCell(cellId, cell => this._earlier.swap(cell));
        return;
      default:
        await runAction(this.panel, this.queries, cellId, action);
    }
  };

  conversation(file: string): IConversationLink | null {
    return linkTo(this.panel.context.path, file, this._open);
  }

  /** Scroll a question into view and focus it; by default the first one. */
  async goToQuestion(
    question: IApprovalQuestion | undefined = this.approvals.all[0]
  ): Promise<void> {
    const cell = question && (await this.cells.reveal(question.cellId));
    const node = cell?.querySelector<HTMLElement>('.msgbook-Approval');
    node?.scrollIntoView({ block: 'nearest' });
    node?.focus({ preventScroll: true });
  }

  /** Handle a message of the kernel; return the answer to it, if there is one. */
  private _receive(data: JSONValue): JSONObject | null {
    this._received.emit(data);
    return handle(this._handlers, data) ?? null;
  }

  private _tellCells(message: IMessage): JSONObject | undefined {
    const question = parseCellsQuestion(message);
    if (question === null) {
      return undefined;
    }
    this._turns.write();
    const model = this.panel.content.model;
    // Cells and metadata are JSON, although nbformat's types allow `undefined`.
    return this._reporter.answer(
      question,
      Array.from(model?.cells ?? [], cellSource),
      () => model!.sharedModel.getMetadata()
    ) as unknown as JSONObject;
  }

  private _markHistory(message: IMessage): void {
    const mark = parseHistoryMark(message);
    if (mark !== null) {
      this.cells.markHistory(mark);
    }
  }

  private _changeCells(message: IMessage): JSONObject | undefined {
    const request = parseChangeRequest(message);
    if (request === null) {
      return undefined;
    }
    const model = this.panel.content.model;
    return {
      type: 'cells.changed',
      request_id: request.requestId,
      problem: model === null ? 'absent' : applyChange(model, request)
    };
  }

  private _keepAgent(message: IMessage): void {
    const keep = parseAgentKeep(message);
    if (keep !== null) {
      this.cells.keepAgent(keep);
    }
  }

  /** The kernel knows its notebook by the name that the file had when it was started. */
  private _tellName(): void {
    const name = PathExt.basename(this.panel.context.localPath);
    this._link.send({ type: 'notebook.name', name });
  }

  private _ask(): void {
    this._tellName();
    this._connected.emit();
    void this.panel.context.ready.then(() => {
      if (!this.panel.isDisposed) {
        this._turns.ask();
      }
    });
  }

  /** Keep what a run is about to remove. */
  private _onScheduled(
    _: unknown,
    { notebook, cell }: { notebook: Notebook; cell: Cell }
  ): void {
    if (notebook === this.panel.content && this.isChat) {
      const { id } = cell.model;
      this._follower.schedule(id);
      this.cells.keepMarks(id);
      const before = parseTurn(this.cells.turn(id));
      if (before !== null && hasAnswer(before)) {
        this.cells.withCell(id, model => this._earlier.keep(model));
      }
      this.cells.refreshAbove(notebook.widgets.indexOf(cell));
    }
  }

  private _onCells(
    _: unknown,
    { newIndex, oldIndex }: IObservableList.IChangedArgs<ICellModel>
  ): void {
    this.cells.refreshAbove(newIndex === -1 ? oldIndex : newIndex);
  }

  private _onOutput(_: unknown, message: KernelMessage.IMessage): void {
    // The times of a Python notebook are the affair of JupyterLab's own setting.
    this._outputs.receive(message, this.bareCell === 'message');
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
    this.queries.clear();
    this._reporter.forget();
  }

  private readonly _write = (): void => this._turns.write();

  private _dispose(): void {
    window.removeEventListener('pagehide', this._write);
    document.removeEventListener('visibilitychange', this._write);
    Signal.clearData(this);
    this.queries.clear();
    this._subagent.dispose();
    this._saver.dispose();
    this._follower.dispose();
    this._link.dispose();
  }

  /** One for each type of message; that of `cells.get` returns the answer. */
  private readonly _handlers: Handlers<Answer>;
  private readonly _subagent: SubagentWatch;
  private readonly _saver: TurnSaver;
  private readonly _follower: EndFollower;
  private readonly _earlier = new EarlierAnswers();
  private readonly _ended = new Signal<this, string>(this);
  private readonly _turns: LiveTurns;
  private readonly _outputs: MirroredOutputs;
  private readonly _connected = new Signal<this, void>(this);
  private readonly _received = new Signal<this, JSONValue>(this);
  private readonly _reporter = new CellsReporter();
  private readonly _link: KernelLink;
}

/**
 * Return a link from one conversation to another; null for a path that cannot be opened.
 *
 * @param file - From the folder of the first.
 */
export function linkTo(
  from: string,
  file: string,
  open: (path: string) => void
): IConversationLink | null {
  const path = conversationPath(from, file);
  return path === null
    ? null
    : {
        url: PageConfig.getUrl({ treePath: path }),
        open: () => open(path)
      };
}

/** What a page knows about its cells, beside the kernel's status. */
export interface IExecutionFacts {
  readonly cells: {
    isRunning(cellId: string): boolean;
    isAnyRunning(): boolean;
  };
  /** Whether the comm to the kernel is being opened. */
  readonly isOpening: boolean;
  /** Return whether the kernel was asked for the turn of a cell and has not answered. */
  isAsked(cellId: string): boolean;
}

/**
 * Return whether a cell is running.
 *
 * The cell's own state decides before the kernel's status, which is `idle` within a turn, too,
 * after a subshell handled a comm message. A page that was loaded during a turn learns of it only
 * by the comm.
 *
 * @param cellId - Null for a cell that is not known.
 */
export function executionOf(
  { isReady, session }: Pick<ISessionContext, 'isReady' | 'session'>,
  cellId: string | null,
  { cells, isOpening, isAsked }: IExecutionFacts
): Execution {
  const status = session?.kernel?.status;
  if (status === undefined) {
    return isReady ? 'idle' : 'connecting';
  }
  if (GONE.has(status) || status === 'starting') {
    return 'idle';
  }
  if (cellId === null) {
    return 'unknown';
  }
  if (cells.isRunning(cellId)) {
    return 'running';
  }
  if (status === 'unknown' || isOpening || isAsked(cellId)) {
    return 'connecting';
  }
  return status === 'idle' || cells.isAnyRunning() ? 'idle' : 'unknown';
}
