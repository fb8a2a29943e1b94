import type * as nbformat from '@jupyterlab/nbformat';

import { isObject, text } from '../turn/model';

/** The kernel's question for the live cells (docs/protocol.md). */
export interface ICellsQuestion {
  readonly requestId: string;
  /** Id of the cell that runs; null for all cells, without outputs and attachments. */
  readonly cellId: string | null;
}

/** The page's answer (docs/protocol.md). */
export type CellsAnswer = {
  type: 'cells';
  request_id: string;
  cells: nbformat.ICell[] | null;
  metadata?: nbformat.INotebookMetadata;
};

/** A cell that can be asked for its content; only those that are sent are. */
export interface ICellSource {
  readonly id: string;
  toJSON(): nbformat.ICell;
}

/** The question in a comm message, null when the message is another one or not well formed. */
export function parseCellsQuestion(data: unknown): ICellsQuestion | null {
  if (!isObject(data) || data.type !== 'cells.get') {
    return null;
  }
  const requestId = text(data.request_id);
  const cellId = data.cell_id === null ? null : text(data.cell_id);
  return requestId !== undefined && cellId !== undefined
    ? { requestId, cellId }
    : null;
}

/** The cells of a notebook from the first through the one that runs, or all. */
export function answerCells(
  question: ICellsQuestion,
  cells: Iterable<ICellSource>,
  metadata: () => nbformat.INotebookMetadata
): CellsAnswer {
  const all = Array.from(cells);
  const answer = { type: 'cells', request_id: question.requestId } as const;
  if (question.cellId === null) {
    return { ...answer, cells: all.map(bareJson), metadata: metadata() };
  }
  const running = all.findIndex(cell => cell.id === question.cellId);
  if (running === -1) {
    return { ...answer, cells: null };
  }
  return {
    ...answer,
    cells: all.slice(0, running + 1).map(cellJson),
    metadata: metadata()
  };
}

/** What a person wrote, without what may be large: outputs, attached images. */
function bareJson(cell: ICellSource): nbformat.ICell {
  const { id, cell_type, source, metadata } = cellJson(cell);
  return { id, cell_type, source, metadata };
}

function cellJson(cell: ICellSource): nbformat.ICell {
  const json = cell.toJSON();
  const { source } = json;
  return {
    ...json,
    id: cell.id,
    source: Array.isArray(source) ? source.join('') : source
  };
}
