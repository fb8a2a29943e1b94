import type { KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';

import { asText, isObject } from '../turn/model';
import type { LiveTurns } from './liveTurns';
import type { NotebookCells } from './notebookCells';

/** Shows outputs that JupyterLab shows only on the page that ran the cell. */
export class AdoptedOutputs {
  constructor(cells: NotebookCells, turns: LiveTurns) {
    this._cells = cells;
    this._turns = turns;
  }

  /**
   * Take a message of the kernel to all its clients.
   *
   * @param isChat - Whether the kernel is ours.
   */
  receive(message: KernelMessage.IMessage, isChat: boolean): void {
    const parent = (message.parent_header as { msg_id?: string }).msg_id;
    const content: unknown = message.content;
    switch (message.header.msg_type) {
      case 'execute_input':
        if (parent !== undefined && isChat) {
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

  private readonly _cells: NotebookCells;
  private readonly _turns: LiveTurns;
  /** The cell of the last turn that was taken over, and the request that ran it. */
  private _adopted: { cellId: string; parent: string | undefined } | null =
    null;
}
