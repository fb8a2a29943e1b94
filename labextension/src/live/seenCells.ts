import type { Cell } from '@jupyterlab/cells';
import type { Notebook, NotebookViewModel } from '@jupyterlab/notebook';
import { turnCellHeight } from './cellHeights';
import { forEachCodeCell } from './codeCells';

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
  /** @param isOn - Returns whether the notebook lays out only cells in view because it is a chat. */
  constructor(notebook: Built, isOn: () => boolean) {
    this._notebook = notebook;
    this._isOn = isOn;
    this._parts = notebook as unknown as IParts;
    this._build = this._parts._scheduleCellRenderOnIdle?.bind(notebook);
    if (this._build !== undefined) {
      this._parts._scheduleCellRenderOnIdle = () => {
        if (!isOn()) {
          this._build?.();
        }
      };
    }
    forEachCodeCell(notebook, cell => this._estimate(cell));
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

  private readonly _notebook: Built;
  private readonly _isOn: () => boolean;
  private readonly _parts: IParts;
  private readonly _build: (() => void) | undefined;
}
