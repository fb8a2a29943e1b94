import type { KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { asText, isObject } from '../turn/reading';
import type { LiveTurns } from './liveTurns';
import type { NotebookCells } from './notebookCells';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';

/** Shows outputs that JupyterLab shows only on the page that ran the cell. */
export class MirroredOutputs {
  constructor(
    private readonly _cells: NotebookCells,
    private readonly _turns: LiveTurns
  ) {}

  /**
   * Take a message of the kernel to all its clients.
   *
   * @param keepsTimes - Whether cells get the times of their runs.
   */
  receive(message: KernelMessage.IMessage, keepsTimes: boolean): void {
    const parent = (message.parent_header as { msg_id?: string }).msg_id;
    const content: unknown = message.content;
    switch (message.header.msg_type) {
      case 'execute_input':
        if (parent !== undefined && keepsTimes) {
          void this._cells.keepTimes(parent, message.header.date);
        }
        return;
      case 'display_data':
      case 'update_display_data':
        this._adopt(content, parent);
        return;
      case 'error':
        if (parent !== undefined && parent === this._adopted?.parent) {
          this._cells.addOutput(this._adopted.cellId, {
            ...(content as JSONObject),
            output_type: 'error'
          });
          this._adopted = null;
        }
    }
  }

  private _adopt(content: unknown, parent: string | undefined): void {
    if (!isObject(content) || !isObject(content.transient)) {
      return;
    }
    const displayId = asText(content.transient.display_id);
    if (displayId !== undefined && isObject(content.data)) {
      const data = content.data as JSONObject;
      const cellId = this._turns.receiveOutput(displayId, data);
      if (cellId !== null) {
        this._adopted = { cellId, parent };
      }
    }
  }

  /** The cell of the last turn that was taken over, and the request that ran it. */
  private _adopted: { cellId: string; parent: string | undefined } | null =
    null;
}

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
