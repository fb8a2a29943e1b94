import { addCommand } from '../commands';
import { forEachConnection, plugin } from './plugin';
import { ICommandPalette } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import { ITranslator, type TranslationBundle } from '@jupyterlab/translation';
import { factsOf } from '../cells/changes';
import { indexOfCell, placeAtInput } from '../live/codeCells';
import type { PageConnection } from '../live/pageConnection';
import { type StaleCause, StaleTurns } from '../live/staleTurns';
import { type IStaleActions, StaleMark } from '../render/staleMark';
import { IPageConnections } from '../tokens';

const RUN_STALE = 'msgbook:run-stale';

/** Plugin that marks the turns that answer other cells than those above them now. */
export const staleTurnsPlugin = plugin({
  id: '@msgbook/labextension:stale-turns',
  description: 'Marks stale turns.',
  requires: [IPageConnections],
  optional: [ITranslator, ICommandPalette],
  activate: (app, trans, connections, translator, palette) => {
    const marks = new WeakMap<PageConnection, StaleMarks>();
    const join = (connection: PageConnection) => {
      const run = (cells: readonly Cell[]) => {
        const { content, sessionContext } = connection.panel;
        return NotebookActions.runCells(
          content,
          cells,
          sessionContext,
          undefined,
          translator ?? undefined
        );
      };
      marks.set(connection, new StaleMarks(connection, trans, run));
    };
    forEachConnection(connections, join);
    const current = () =>
      connections.current === null ? undefined : marks.get(connections.current);
    addCommand(app, palette, trans, RUN_STALE, {
      label: trans.__('Run All Stale Prompts'),
      caption: trans.__(
        'Run the prompts again whose answers are stale, from the top'
      ),
      isEnabled: () => current()?.hasAny === true,
      execute: () => current()?.runAll()
    });
  }
});

/** The marks at the cells of one notebook. */
class StaleMarks implements IStaleActions {
  constructor(
    private readonly _connection: PageConnection,
    private readonly _trans: TranslationBundle,
    private readonly _run: (cells: readonly Cell[]) => Promise<unknown>
  ) {
    this._stale = new StaleTurns(this._connection);
    this._stale.changed.connect(this._update, this);
    const { content } = this._connection.panel;
    content.cellInViewportChanged.connect((_, cell) => this._mark(cell));
  }

  get hasAny(): boolean {
    return this._stale.turns.length > 0;
  }

  show(cellId: string): void {
    const { cells, panel } = this._connection;
    const index = indexOfCell(panel.content, cellId);
    if (index !== -1) {
      panel.content.activeCellIndex = index;
      void cells.reveal(cellId);
    }
  }

  runAgain(cellId: string): void {
    this._runCells(new Set([cellId]));
  }

  runAll(): void {
    this._runCells(new Set(this._stale.turns.map(turn => turn.cellId)));
  }

  private _runCells(ids: ReadonlySet<string>): void {
    const { widgets } = this._connection.panel.content;
    void this._run(widgets.filter(({ model }) => ids.has(model.id)));
  }

  private _update(): void {
    const { widgets } = this._connection.panel.content;
    const { turns } = this._stale;
    this._numbers = new Map(widgets.map(({ model }, i) => [model.id, i + 1]));
    this._causes = new Map(turns.map(turn => [turn.cellId, turn.cause]));
    for (const cell of Array.from(this._marks.keys())) {
      if (cell.isDisposed) {
        this._marks.delete(cell);
      }
    }
    widgets.forEach(cell => this._mark(cell));
  }

  /** Let a cell have its mark, or none; a cell out of view gets one when it comes into view. */
  private _mark(cell: Cell): void {
    if (cell.isDisposed) {
      return;
    }
    const cellId = cell.model.id;
    const cause = this._causes.get(cellId);
    if (cause === undefined) {
      this._marks.get(cell)?.dispose();
      this._marks.delete(cell);
    } else if (cell.inViewport || this._marks.has(cell)) {
      this._markOf(cell).describe({
        cellId,
        cause,
        count: this._causes.size,
        numberOf: other => this._numbers.get(other) ?? 0,
        isExcluded: other => this._isExcluded(other)
      });
    }
  }

  private _isExcluded(cellId: string): boolean {
    const { panel, bareCell } = this._connection;
    const number = this._numbers.get(cellId) ?? 0;
    const cell = panel.content.widgets[number - 1]?.model;
    return (
      cell !== undefined &&
      factsOf(cell, bareCell ?? 'message').history === 'exclude'
    );
  }

  /** Return the mark of a cell, which stands between its prompt and its answer. */
  private _markOf(cell: Cell): StaleMark {
    const before = this._marks.get(cell);
    if (before !== undefined) {
      return before;
    }
    const mark = new StaleMark(this._trans, this);
    this._marks.set(cell, mark);
    // A cell that has never been on the screen has no editor yet.
    void cell.ready.then(() => {
      if (!mark.isDisposed && !cell.isDisposed) {
        placeAtInput(cell, mark);
      }
    });
    return mark;
  }

  private readonly _stale: StaleTurns;
  private readonly _marks = new Map<Cell, StaleMark>();
  /** Why the stale turns are stale, and the numbers of all cells, by id. */
  private _causes: ReadonlyMap<string, StaleCause> = new Map();
  private _numbers: ReadonlyMap<string, number> = new Map();
}
