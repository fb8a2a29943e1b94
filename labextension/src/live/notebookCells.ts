import type { Cell, CodeCell, ICodeCellModel } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';
import type { Notebook } from '@jupyterlab/notebook';
import { JSONExt, type JSONObject } from '@lumino/coreutils';
import type { IAgentKeep, IHistoryMark } from '../comm/turnMessages';
import type { TurnRenderer } from '../render/turnRenderer';
import { turnJson, type TurnJson } from '../turn/delta';
import { TURN_MIME } from '../turn/model';
import { isObject } from '../turn/reading';
import type { IApprovalCells } from './approvals';
import {
  keepAgent,
  keepMacros,
  keepSummaries,
  markHistory,
  OURS,
  oursOf
} from './documentChanges';
import type { ITurnCells } from './turnOutputs';
import type { Kernel } from '@jupyterlab/services';

/** A prompt that asks for the rest of the answer above. */
const CONTINUES = /^\s*%continue(?!\S)/;

/** The cells of a notebook by id, with at most one turn each. */
export class NotebookCells implements ITurnCells, IApprovalCells {
  constructor(
    private readonly _notebook: Notebook,
    /** Returns this page's client session at the kernel; null without one. */
    private readonly _client: () => string | null
  ) {}

  get isShared(): boolean {
    return this._notebook.model?.collaborative ?? false;
  }

  get client(): string | null {
    return this._client();
  }

  /** Register a renderer, so that it can be drawn again. */
  track(renderer: TurnRenderer): void {
    this._renderers.set(renderer.node, renderer);
  }

  /** Return the id of the cell that shows `node`. */
  cellIdOf(node: Node): string | null {
    const element = node instanceof Element ? node : node.parentElement;
    const cellNode = element?.closest<HTMLElement>('.jp-Cell');
    const { widgets } = this._notebook;
    // JupyterLab writes the place of a cell that is attached into its element.
    const index = Number(cellNode?.dataset.windowedListIndex);
    const there = widgets[index];
    const cell =
      there?.node === cellNode
        ? there
        : widgets.find(cell => cell.node === cellNode);
    return cell?.model.id ?? null;
  }

  has(cellId: string): boolean {
    return this._cell(cellId) !== undefined;
  }

  prompts(): string[] {
    return Array.from(this._notebook.model?.cells ?? [])
      .filter(isCode)
      .filter(cell => cell.sharedModel.getSource().trim() !== '')
      .map(cell => cell.id);
  }

  turn(cellId: string): TurnJson | null {
    const cell = this._cell(cellId);
    return cell === undefined ? null : turnOf(cell);
  }

  isRunning(cellId: string): boolean {
    return this._cell(cellId)?.executionState === 'running';
  }

  /** Return whether any cell of the notebook is shown as running. */
  isAnyRunning(): boolean {
    return this._notebook.widgets.some(
      ({ model }) => isCode(model) && model.executionState === 'running'
    );
  }

  setRunning(cellId: string, running: boolean): void {
    const cell = this._cell(cellId);
    if (cell !== undefined) {
      cell.executionState = running ? 'running' : 'idle';
    }
  }

  replace(cellId: string, data: JSONObject): boolean {
    const cell = this._cell(cellId);
    const index = cell === undefined ? -1 : turnIndex(cell);
    if (cell === undefined || index === -1) {
      return false;
    }
    const output = outputAt(cell, index);
    if (!JSONExt.deepEqual(output.data as JSONObject, data)) {
      cell.outputs.set(index, {
        ...output,
        data: data as nbformat.IMimeBundle
      });
    }
    return true;
  }

  add(cellId: string, data: JSONObject): void {
    this.addOutput(cellId, {
      output_type: 'display_data',
      data: data as nbformat.IMimeBundle,
      metadata: {}
    });
  }

  /** Add an output to a cell. */
  addOutput(cellId: string, output: nbformat.IOutput): void {
    this._cell(cellId)?.outputs.add(output);
  }

  clear(cellId: string): void {
    this._cell(cellId)?.outputs.clear();
  }

  /** Do something with a code cell, if it is there. */
  withCell(cellId: string, job: (cell: ICodeCellModel) => void): void {
    const cell = this._cell(cellId);
    if (cell !== undefined) {
      job(cell);
    }
  }

  /** Return whether the next prompt below a cell asks for the rest of its answer. */
  isContinued(cellId: string): boolean {
    const { widgets } = this._notebook;
    const index = widgets.findIndex(({ model }) => model.id === cellId);
    const next = widgets
      .slice(index + 1)
      .find(({ model }) => model.sharedModel.getSource().trim() !== '');
    return (
      next !== undefined &&
      isCode(next.model) &&
      CONTINUES.test(next.model.sharedModel.getSource())
    );
  }

  /** Draw the turn above a place again: the cell there may continue it. */
  refreshAbove(index: number): void {
    for (let at = index - 1; at >= 0; at -= 1) {
      const model = this._notebook.widgets[at]?.model;
      if (model && isCode(model) && turnIndex(model) !== -1) {
        this.refresh(model.id);
        return;
      }
    }
  }

  keepResults(turn: TurnJson): void {
    if (this._notebook.model !== null) {
      keepSummaries(this._notebook.model, turn);
      keepMacros(this._notebook.model, turn);
    }
  }

  /** Show the outputs of cells as they were saved; one that did not change is not touched. */
  showOutputs(saved: nbformat.INotebookContent): void {
    for (const { id, cell_type, outputs } of saved.cells) {
      const cell = cell_type === 'code' ? this._cell(id as string) : undefined;
      for (const [index, output] of (
        (cell === undefined ? [] : outputs) as nbformat.IOutput[]
      ).entries()) {
        if (index >= cell!.outputs.length) {
          cell!.outputs.add(output);
        } else if (!JSONExt.deepEqual(outputAt(cell!, index), output)) {
          cell!.outputs.set(index, output);
        }
      }
    }
  }

  /** Draw all turns again. */
  refreshAll(): void {
    this._notebook.widgets.forEach(({ model }) => this.refresh(model.id));
  }

  /** Write into the cell that a request of this page runs when its code started and ended. */
  keepTimes(request: string, started: string): Promise<void> {
    const widgets = this._notebook.widgets.filter(
      (widget): widget is CodeCell => isCode(widget.model)
    );
    return keepTimes(widgets, request, started);
  }

  /** Keep in a cell that displays of it were hidden: it is about to run. */
  keepMarks(cellId: string): void {
    const cell = this._cell(cellId);
    if (cell !== undefined) {
      keepMarks(cell);
    }
  }

  /** Set the history of cells. */
  markHistory(mark: IHistoryMark): void {
    if (this._notebook.model !== null && this._isWriter(mark)) {
      markHistory(this._notebook.model, mark);
    }
  }

  /** Save AgentMetadata if the notebook has the cell that they came with. */
  keepAgent(keep: IAgentKeep): void {
    const { model } = this._notebook;
    if (model !== null && this.has(keep.cellId) && this._isWriter(keep)) {
      keepAgent(model, keep.agentMetadata);
    }
  }

  refresh(cellId: string): void {
    this._stale.add(cellId);
    this._frame ??= window.requestAnimationFrame(() => {
      this._frame = undefined;
      const stale = Array.from(this._stale);
      this._stale.clear();
      stale.forEach(cellId => this._draw(cellId));
    });
  }

  /** Scroll a cell into view and return its element. */
  async reveal(cellId: string): Promise<HTMLElement | null> {
    const cell = this._widget(cellId);
    if (cell === undefined) {
      return null;
    }
    const index = this._notebook.widgets.indexOf(cell);
    await this._notebook.scrollToItem(index, 'smart');
    // A cell that has never been in view is built now.
    await cell.ready;
    return cell.node;
  }

  /** Return whether this page makes a change to a document that others may share. */
  private _isWriter({ writer }: { readonly writer: string | null }): boolean {
    return !this.isShared || writer === null || writer === this.client;
  }

  private _draw(cellId: string): void {
    const nodes =
      this._widget(cellId)?.node.querySelectorAll('.msgbook-Turn') ?? [];
    for (const node of Array.from(nodes)) {
      this._renderers.get(node)?.refresh();
    }
  }

  private _cell(cellId: string): ICodeCellModel | undefined {
    const model = this._widget(cellId)?.model;
    return model !== undefined && isCode(model) ? model : undefined;
  }

  private _widget(cellId: string): Cell | undefined {
    const known = this._widgets.get(cellId);
    if (known !== undefined && !known.isDisposed) {
      return known;
    }
    // The cells have changed since, or there is none with this id.
    this._widgets = new Map();
    for (const widget of this._notebook.widgets) {
      const { id } = widget.model;
      if (!this._widgets.has(id)) {
        this._widgets.set(id, widget);
      }
    }
    return this._widgets.get(cellId);
  }

  private readonly _renderers = new WeakMap<Element, TurnRenderer>();
  private readonly _stale = new Set<string>();
  private _frame: number | undefined;
  /** The cells by id, as they were looked up last; of several with one id, the first. */
  private _widgets = new Map<string, Cell>();
}

function isCode(cell: { readonly type: string }): cell is ICodeCellModel {
  return cell.type === 'code';
}

/** Return the turn among a cell's outputs; null if there is none. */
export function turnOf(cell: ICodeCellModel): TurnJson | null {
  const index = turnIndex(cell);
  return index === -1
    ? null
    : turnJson(outputAt(cell, index).data?.[TURN_MIME]);
}

/** Return the index of the turn among a cell's outputs; -1 if there is none. */
function turnIndex(cell: ICodeCellModel): number {
  if (cell.isDisposed) {
    // A menu may ask about the cell of a notebook that is just being closed.
    return -1;
  }
  for (let index = cell.outputs.length - 1; index >= 0; index--) {
    const { data } = outputAt(cell, index);
    if (data !== undefined && TURN_MIME in data) {
      return index;
    }
  }
  return -1;
}

/** Return an output in its saved form, with the model's own data, not a copy. */
function outputAt(
  cell: ICodeCellModel,
  index: number
): nbformat.IOutput & { readonly data?: nbformat.IMimeBundle } {
  return cell.outputs.get(index).toJSON();
}

const SENT = new Set(['include', '1', 'true']);

/** The part of a cell's model that holds marks. */
export type MarkedCell = Pick<
  ICodeCellModel,
  'outputs' | 'getMetadata' | 'setMetadata'
>;

/**
 * Keep in a cell which of its displays were hidden, before a run replaces them and their metadata.
 *
 * Marks that fit no output hide all outputs of the cell, and the next turn says so (docs/format.md,
 * section 6): the new ones may contain what was hidden.
 */
export function keepMarks(cell: MarkedCell): void {
  const marks: JSONObject = {};
  for (let index = 0; index < cell.outputs.length; index++) {
    const ours: unknown = cell.outputs.get(index).metadata[OURS];
    const history = isObject(ours) ? ours.history : undefined;
    if (history !== undefined && !SENT.has(asWord(history))) {
      marks[index] = { history: asWord(history), sha256: '' };
    }
  }
  if (Object.keys(marks).length > 0) {
    const ours = oursOf(cell) ?? {};
    const before = isObject(ours.output_history) ? ours.output_history : {};
    cell.setMetadata(OURS, {
      ...ours,
      output_history: { ...before, ...marks }
    });
  }
}

function asWord(history: unknown): string {
  return typeof history === 'string'
    ? history.trim().toLowerCase()
    : JSON.stringify(history);
}

/** Key of a cell's metadata, and the keys in it, as JupyterLab and nbclient write them. */
const EXECUTION = 'execution';
const STARTED = 'iopub.execute_input';
const ENDED = 'shell.execute_reply';

/** A cell of this page that runs, or has run. */
export interface IRunCell {
  readonly model: Pick<
    CodeCell['model'],
    'isDisposed' | 'getMetadata' | 'setMetadata' | 'outputs'
  >;
  readonly outputArea: {
    readonly future?: Pick<Kernel.IShellFuture, 'msg' | 'done'>;
  };
}

/**
 * Write into a cell when its code has started and ended, once it has.
 *
 * JupyterLab does so itself with its setting `recordTiming`, which is off by default. A prompt has the
 * times in its turn.
 *
 * @param started - Time of the kernel's `execute_input`.
 * @param request - Id of the request that runs the cell.
 */
export async function keepTimes(
  cells: Iterable<IRunCell>,
  request: string,
  started: string
): Promise<void> {
  for (const { model, outputArea } of cells) {
    const { future } = outputArea;
    if (future?.msg.header.msg_id === request) {
      const reply = await future.done.catch(() => undefined);
      const ended = reply?.header.date;
      if (ended !== undefined && !model.isDisposed && isBare(model)) {
        model.setMetadata(EXECUTION, { [STARTED]: started, [ENDED]: ended });
      }
      return;
    }
  }
}

/** Return whether a cell has neither a turn nor times that JupyterLab wrote. */
function isBare(model: IRunCell['model']): boolean {
  for (let index = 0; index < model.outputs.length; index++) {
    if (TURN_MIME in model.outputs.get(index).data) {
      return false;
    }
  }
  return model.getMetadata(EXECUTION) === undefined;
}
