import type { Cell, ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { Notebook, NotebookViewModel } from '@jupyterlab/notebook';
import { forEachCodeCell } from '../live/codeCells';
import { type IBlock, parseTurn } from '../turn/model';
import { asText } from '../turn/reading';
import { turnOf } from '../live/notebookCells';

/** What JupyterLab has no public name for. Where it is missing, only time is lost. */
interface IParts {
  /** Makes JupyterLab build, while the page has nothing to do, the cells that were never in view. */
  _scheduleCellRenderOnIdle?: () => void;
  readonly viewModel?: Partial<
    Pick<NotebookViewModel, 'setEstimatedWidgetSize'>
  >;
}

type Built = Pick<Notebook, 'widgets' | 'model' | 'modelChanged' | 'disposed'>;

/**
 * Lets JupyterLab build a cell of a chat when it comes into view, and not before.
 *
 * JupyterLab builds all of them to know how high they are. For turns that is estimated.
 */
export class SeenCells {
  constructor(
    private readonly _notebook: Built,
    /** Returns whether the notebook lays out only cells in view because it is a chat. */
    private readonly _isOn: () => boolean
  ) {
    this._parts = this._notebook as unknown as IParts;
    this._build = this._parts._scheduleCellRenderOnIdle?.bind(this._notebook);
    if (this._build !== undefined) {
      this._parts._scheduleCellRenderOnIdle = () => {
        if (!this._isOn()) {
          this._build?.();
        }
      };
    }
    forEachCodeCell(this._notebook, cell => this._estimate(cell));
  }

  /** The notebook has become a chat, or is none any more. */
  update(): void {
    if (this._isOn()) {
      this._notebook.widgets.forEach(cell => this._estimate(cell));
    } else {
      this._build?.();
    }
  }

  private _estimate({ model }: Cell): void {
    const height = this._isOn() ? turnCellHeight(model) : null;
    if (height !== null) {
      this._parts.viewModel?.setEstimatedWidgetSize?.(model.id, height);
    }
  }

  private readonly _parts: IParts;
  private readonly _build: (() => void) | undefined;
}

/** Heights in pixels, about those of JupyterLab's themes. */
const EDITOR_LINE = 17;
const TEXT_LINE = 22;
const PARAGRAPH = 14;
/** Height of a folded block, and of the line above a turn. */
const ROW = 30;
const MARGIN = 22;

/** Characters in a line of an answer. */
const LINE = 110;

/** Return about how high a cell with a turn will be that was never on the screen; null for others. */
export function turnCellHeight(cell: ICellModel): number | null {
  const turn =
    cell.type === 'code' ? parseTurn(turnOf(cell as ICodeCellModel)) : null;
  if (turn === null) {
    return null;
  }
  const lines = cell.sharedModel.getSource().split('\n').length;
  const answer = turn.blocks.reduce(
    (sum, block) => sum + blockHeight(block),
    0
  );
  return lines * EDITOR_LINE + MARGIN + ROW + answer;
}

function blockHeight({ type, text }: IBlock): number {
  return type === 'text' ? textHeight(asText(text) ?? '') : ROW;
}

function textHeight(text: string): number {
  return text
    .split('\n')
    .reduce(
      (sum, line) =>
        sum +
        (line.trim() === ''
          ? PARAGRAPH
          : Math.ceil(line.length / LINE) * TEXT_LINE),
      0
    );
}
