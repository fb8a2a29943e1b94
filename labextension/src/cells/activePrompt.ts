import type { Cell, ICellModel } from '@jupyterlab/cells';
import type { INotebookModel, Notebook } from '@jupyterlab/notebook';

import type { BareCell } from '../comm/ourKernels';
import { bareCellIn } from '../live/chatNotebook';
import type { PageConnection } from '../live/pageConnection';
import type { TurnJson } from '../turn/delta';
import type { IPageConnections } from '../tokens';
import type { ICellFacts } from './cellFacts';
import { factsOf } from './changes';

/** Class of notebooks that are chats, also without a kernel (plugins/pageConnections.ts). */
export const CHAT_CLASS = 'msgbook-mod-chat';

/** The active cell of the chat in front, and what commands need to act on it. */
export interface IActiveCell {
  readonly connection: PageConnection;
  readonly notebook: Notebook;
  readonly model: INotebookModel;
  readonly widget: Cell;
  readonly index: number;
  readonly cell: ICellModel;
  /** What a bare cell of the chat is. */
  readonly bare: BareCell;
  readonly facts: ICellFacts;
  readonly turn: TurnJson | null;
}

/** Return the active cell; null if no chat is in front. */
export function activeCell(connections: IPageConnections): IActiveCell | null {
  const connection = connections.current;
  const notebook = connection?.panel.content;
  const widget = notebook?.activeCell;
  if (!connection || !notebook?.model || !widget) {
    return null;
  }
  if (!notebook.hasClass(CHAT_CLASS)) {
    return null;
  }
  const bare = bareCellIn(connection.panel.sessionContext) ?? 'message';
  return {
    connection,
    notebook,
    model: notebook.model,
    widget,
    index: notebook.activeCellIndex,
    cell: widget.model,
    bare,
    facts: factsOf(widget.model, bare),
    turn: connection.cells.turn(widget.model.id)
  };
}

/** Return the models of the cells that are selected, the active one among them. */
export function selectedCells({ notebook }: IActiveCell): ICellModel[] {
  return notebook.widgets
    .filter(widget => notebook.isSelectedOrActive(widget))
    .map(widget => widget.model);
}
