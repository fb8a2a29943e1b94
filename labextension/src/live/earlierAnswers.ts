import type { ICodeCellModel } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';

/** Cells whose replaced outputs are kept; the oldest is forgotten first. */
const MOST = 20;

/** The outputs of a cell that are not shown, and whether they came after those that are. */
interface IOther {
  readonly outputs: nbformat.IOutput[];
  readonly which: 'earlier' | 'later';
}

/** The part of a cell that has outputs. */
type Outputs = Pick<ICodeCellModel, 'id' | 'outputs'>;

/**
 * The answers that were replaced by running their prompts again, one for each cell, as long as the
 * notebook is open: the way back for a person who liked the first one better.
 */
export class EarlierAnswers {
  /** Keep the outputs of a cell that is about to be run again. */
  keep({ id, outputs }: Outputs): void {
    this._others.delete(id);
    this._others.set(id, { outputs: outputs.toJSON(), which: 'earlier' });
    for (const oldest of this._others.keys()) {
      if (this._others.size <= MOST) {
        break;
      }
      this._others.delete(oldest);
    }
  }

  /** Return which other answer a cell has. */
  of(cellId: string): 'earlier' | 'later' | null {
    return this._others.get(cellId)?.which ?? null;
  }

  /** Show the other answer of a cell, and keep the one that was shown. */
  swap({ id, outputs }: Outputs): void {
    const other = this._others.get(id);
    if (other !== undefined) {
      const which = other.which === 'earlier' ? 'later' : 'earlier';
      // First: what is drawn asks for it.
      this._others.set(id, { outputs: outputs.toJSON(), which });
      outputs.fromJSON(other.outputs);
    }
  }

  private readonly _others = new Map<string, IOther>();
}
