import type { Cell, ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import { type Notebook, NotebookActions } from '@jupyterlab/notebook';
import type { IObservableList } from '@jupyterlab/observables';
import { type Message, MessageLoop } from '@lumino/messaging';
import { type ISignal, Signal } from '@lumino/signaling';
import { TURN_MIME } from '../turn/model';
import { asTexts, fields, isTrue, listOf, whole } from '../turn/reading';
import type { PageConnection } from './pageConnection';

/** Milliseconds without a change before the kernel is asked. */
const QUIET_TIME = 800;

/** The part of a change of a cell that counts. */
interface ICellChange {
  readonly sourceChange?: unknown;
  readonly outputsChange?: unknown;
  readonly metadataChange?: ReadonlyMap<string, unknown>;
}

/** A stale turn, and why it is stale. */
export interface IStaleTurn {
  readonly cellId: string;
  readonly cause: StaleCause;
}

/**
 * The stale turns of one notebook.
 *
 * The kernel is asked while the notebook is visible and no cell runs, after changes that a turn at
 * or below them may have been asked about. Typing below the last turn, and an answer there, ask
 * nothing.
 */
export class StaleTurns {
  constructor(private readonly _connection: PageConnection) {
    const { content, context, disposed, sessionContext } =
      this._connection.panel;
    MessageLoop.installMessageHook(this._connection.panel, this);
    disposed.connect(this._dispose, this);
    this._connection.connected.connect(this._askAll, this);
    sessionContext.statusChanged.connect(this._schedule, this);
    sessionContext.kernelChanged.connect(this._forget, this);
    NotebookActions.executionScheduled.connect(this._onScheduled, this);
    document.addEventListener('visibilitychange', this._onVisible);
    void context.ready.then(() => {
      if (!this._connection.panel.isDisposed) {
        content.model?.cells.changed.connect(this._onCells, this);
        this._follow();
        this._askAll();
      }
    });
  }

  /** Emitted when the marks, or the places of the cells, may have changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The stale turns, in document order. */
  get turns(): readonly IStaleTurn[] {
    const all = this._cellModels;
    const ids = all.map(({ id }) => id);
    const stale = new Map<string, StaleCause>();
    for (const group of this._groups) {
      // What is above a turn that is not stale has not changed.
      const last = ids.indexOf(group.changed.at(-1)!);
      const first = Math.max(0, lastTurn(all.slice(0, Math.max(0, last))));
      const cause = this._log.causeOf(group, ids.slice(first, last + 1));
      group.turns.forEach(cellId => stale.set(cellId, cause));
    }
    return ids
      .filter(id => stale.has(id) && !this._started.has(id))
      .map(cellId => ({ cellId, cause: stale.get(cellId)! }));
  }

  /** Part of Lumino's message hook: a notebook that was hidden is shown. */
  messageHook(_: unknown, message: Message): boolean {
    if (message.type === 'after-show') {
      this._schedule();
    }
    return true;
  }

  /** Whether a person can see marks: the notebook is a chat with a kernel, and in view. */
  private get _isShown(): boolean {
    const { isChat, panel } = this._connection;
    return isChat && panel.isVisible && !document.hidden;
  }

  private get _cellModels(): ICellModel[] {
    return Array.from(this._connection.panel.content.model?.cells ?? []);
  }

  private _onCells(
    _: unknown,
    {
      type,
      newIndex,
      oldIndex,
      newValues
    }: IObservableList.IChangedArgs<ICellModel>
  ): void {
    const added = this._follow();
    // The message that waits below the last turn is none of its history.
    const index = type === 'remove' ? oldIndex : newIndex;
    if (index <= lastTurn(this._cellModels)) {
      this._log.notePlaces(added);
    }
    this._changed.emit();
    if (type === 'add') {
      newValues.forEach(({ id }) => this._touch(id));
      this._schedule();
    } else {
      this._askAll();
    }
  }

  /** Follow the cells that are new; return the ids that no cell had before. */
  private _follow(): string[] {
    const added: string[] = [];
    for (const cell of this._cellModels) {
      if (!this._followed.has(cell)) {
        this._followed.add(cell);
        const { id } = cell;
        if (!this._known.has(id)) {
          this._known.add(id);
          added.push(id);
        }
        cell.sharedModel.changed.connect(
          (_: unknown, change: ICellChange) => this._onCell(id, change),
          this
        );
        if (cell.type === 'code') {
          // The shared model does not tell of outputs that come from this page's kernel.
          (cell as ICodeCellModel).outputs.changed.connect(
            () => this._onOutputs(id),
            this
          );
        }
      }
    }
    return added;
  }

  private _onCell(id: string, change: ICellChange): void {
    if (
      change.sourceChange !== undefined ||
      change.metadataChange?.has('msgbook')
    ) {
      this._log.noteCell(id);
      this._touch(id);
    } else if (change.outputsChange !== undefined) {
      this._log.noteOutputs(id);
      this._answered.add(id);
    } else {
      return;
    }
    this._schedule();
  }

  private _touch(id: string): void {
    this._touched.add(id);
    this._unchanged.delete(id);
  }

  private _onOutputs(id: string): void {
    this._log.noteOutputs(id);
    if (this._unchanged.has(id)) {
      // The answer is to the text as it is.
      this._touched.delete(id);
    }
  }

  /** A cell that runs is not stale any more, or will be judged when it has ended. */
  private _onScheduled(
    _: unknown,
    { notebook, cell }: { notebook: Notebook; cell: Cell }
  ): void {
    if (notebook === this._connection.panel.content) {
      this._started.add(cell.model.id);
      this._unchanged.add(cell.model.id);
      this._changed.emit();
    }
  }

  private _askAll(): void {
    this._touched.add(null);
    this._schedule();
  }

  private _forget(): void {
    this._groups = [];
    this._changed.emit();
    this._askAll();
  }

  private readonly _onVisible = (): void => this._schedule();

  private _schedule(): void {
    if (this._touched.size + this._answered.size > 0 && this._isShown) {
      window.clearTimeout(this._timer);
      this._timer = window.setTimeout(() => void this._ask(), QUIET_TIME);
    }
  }

  private async _ask(): Promise<void> {
    const { cells, queries } = this._connection;
    if (!this._isShown || this._isAsking || cells.isAnyRunning()) {
      return;
    }
    const last = this._lastTouchedTurn();
    const started = Array.from(this._started);
    this._touched.clear();
    this._answered.clear();
    if (last === null) {
      return;
    }
    this._isAsking = true;
    try {
      const answer = await queries.ask('stale.list', { cell_id: last });
      this._groups = parseStaleGroups(answer);
      started.forEach(cellId => this._started.delete(cellId));
      this._changed.emit();
    } catch {
      // A kernel that is busy or gone is asked again after the next change.
    } finally {
      this._isAsking = false;
      this._schedule();
    }
  }

  /** Return the last cell with a turn, if a change at or above it is not judged yet. */
  private _lastTouchedTurn(): string | null {
    const all = this._cellModels;
    const last = lastTurn(all);
    const isTouched =
      this._touched.has(null) ||
      all
        .slice(0, last + 1)
        .some(
          ({ id }, index) =>
            this._touched.has(id) || (index < last && this._answered.has(id))
        );
    return last === -1 || !isTouched ? null : all[last].id;
  }

  private _dispose(): void {
    window.clearTimeout(this._timer);
    document.removeEventListener('visibilitychange', this._onVisible);
    Signal.disconnectReceiver(this);
    Signal.clearData(this);
  }

  private readonly _changed = new Signal<this, void>(this);
  private readonly _log = new ChangeLog();
  private readonly _followed = new WeakSet<ICellModel>();
  /** Ids that cells have, or had before they were deleted. */
  private readonly _known = new Set<string>();
  /** Cells that have changed since the kernel was asked; null stands for all. */
  private readonly _touched = new Set<string | null>();
  /** Cells whose outputs have changed since: only turns below them are asked about those. */
  private readonly _answered = new Set<string>();
  /** Cells that have run, and have not changed or moved since. */
  private readonly _unchanged = new Set<string>();
  /** Stale turns that have been run again since. */
  private readonly _started = new Set<string>();
  private _groups: readonly IStaleGroup[] = [];
  private _isAsking = false;
  private _timer: number | undefined;
}

/** Return the position of the last cell with a turn; -1 for none. */
function lastTurn(cells: readonly ICellModel[]): number {
  let index = cells.length - 1;
  while (index >= 0 && !hasTurn(cells[index])) {
    index -= 1;
  }
  return index;
}

function hasTurn(cell: ICellModel): boolean {
  if (cell.type !== 'code') {
    return false;
  }
  const { outputs } = cell as ICodeCellModel;
  for (let index = outputs.length - 1; index >= 0; index--) {
    if (TURN_MIME in outputs.get(index).data) {
      return true;
    }
  }
  return false;
}

const readGroup = whole(
  {
    /** Ids of their cells. */
    turns: asSome,
    /** Ids of the cells of which one contains the first change; the last is the first turn's. */
    changed: asSome
  },
  {
    /** Whether the system message may have changed instead. */
    maybeSystem: isTrue,
    /** Cells above that have changed, as what is saved shows. */
    sure: asTexts,
    /** Whether more or fewer cells are sent than then, and which is not known. */
    isMoved: isTrue
  }
);

/** Neighbouring stale turns with the same first change, as the kernel tells them. */
export type IStaleGroup = NonNullable<ReturnType<typeof readGroup>>;

function asSome(value: unknown): readonly string[] | undefined {
  const texts = asTexts(value);
  return texts.length > 0 ? texts : undefined;
}

/** Return the groups of the answer to `stale.list`; what is not well formed is left out. */
export function parseStaleGroups(answer: unknown): IStaleGroup[] {
  return readGroups(answer).groups;
}

const readGroups = fields({ groups: listOf(readGroup) });

/** Why the turns of a group are stale, as far as it is known. */
export type StaleCause =
  /** Cells that have changed since the first of the turns ended; not empty. */
  | { readonly kind: 'cells'; readonly ids: readonly string[] }
  /** A cell was added, deleted or moved; the first turn's own, if it `isNew` in the notebook. */
  | { readonly kind: 'place'; readonly isNew: boolean }
  /** More or fewer cells are sent than then. */
  | { readonly kind: 'count' }
  | {
      readonly kind: 'between';
      readonly first: string;
      readonly last: string;
      readonly maybeSystem: boolean;
    };

/** What a person and the runs of cells have changed since the notebook was opened, in its order. */
export class ChangeLog {
  /** Note that the text of a cell, or what it says about its history, has changed. */
  noteCell(cellId: string): void {
    this._cells.set(cellId, ++this._count);
  }

  /** Note that the outputs of a cell have changed. */
  noteOutputs(cellId: string): void {
    this._outputs.set(cellId, ++this._count);
  }

  /** Note that cells were added, moved or deleted: which ids are there that were not before. */
  notePlaces(added: readonly string[] = []): void {
    this._places = ++this._count;
    added.forEach(id => this._added.add(id));
  }

  /**
   * Return why the turns of a group are stale.
   *
   * @param range - Ids of all cells from the first that may have changed through the first turn's.
   */
  causeOf(
    { changed, maybeSystem, sure, isMoved }: IStaleGroup,
    range: readonly string[]
  ): StaleCause {
    const turn = changed[changed.length - 1];
    const ended = this._outputs.get(turn) ?? 0;
    const ids = range.filter(id => {
      const outputs = id === turn ? 0 : (this._outputs.get(id) ?? 0);
      return Math.max(this._cells.get(id) ?? 0, outputs) > ended;
    });
    if (ids.length > 0) {
      return { kind: 'cells', ids };
    }
    if (this._places > ended) {
      return { kind: 'place', isNew: this._added.has(turn) };
    }
    if (sure.length > 0) {
      return { kind: 'cells', ids: sure };
    }
    return isMoved
      ? { kind: 'count' }
      : { kind: 'between', first: changed[0], last: turn, maybeSystem };
  }

  private readonly _cells = new Map<string, number>();
  private readonly _outputs = new Map<string, number>();
  private readonly _added = new Set<string>();
  private _places = 0;
  private _count = 0;
}
