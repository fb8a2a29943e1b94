import type * as nbformat from '@jupyterlab/nbformat';
import { UUID } from '@lumino/coreutils';

import { isObject, text } from '../turn/model';

/** The kernel's question for the live cells (docs/protocol.md). */
export interface ICellsQuestion {
  readonly requestId: string;
  /** Id of the cell that runs; null for all cells, without outputs and attachments. */
  readonly cellId: string | null;
  /** The revision of the answer that the kernel still has; null when it has none. */
  readonly known: string | null;
}

/** In place of a cell that is as the kernel has it. */
export type UnchangedCell = { id: string; unchanged: true };

/** The page's answer (docs/protocol.md). */
export type CellsAnswer = {
  type: 'cells';
  request_id: string;
  cells: (nbformat.ICell | UnchangedCell)[] | null;
  revision?: string;
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
    ? { requestId, cellId, known: text(data.known) ?? null }
    : null;
}

/**
 * Answers the kernel's questions for the cells of one notebook.
 *
 * A cell that is as it was in the last answer is only named where the kernel still has that answer.
 * What was sent is compared as JSON text: outputs are changed in place, and nothing tells of all
 * changes of a cell.
 */
export class CellsReporter {
  /** The cells from the first through the one that runs, or all. */
  answer(
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
    const before = question.known === this._revision ? this._told : null;
    const told = new Map<string, string | null>();
    const sent = all.slice(0, running + 1).map(cell => {
      const json = cellJson(cell);
      const asText = JSON.stringify(json);
      // The kernel could not tell two cells with one id apart.
      told.set(cell.id, told.has(cell.id) ? null : asText);
      return before?.get(cell.id) === asText ? unchanged(cell) : json;
    });
    this._told = told;
    const revision = UUID.uuid4();
    this._revision = revision;
    return { ...answer, cells: sent, revision, metadata: metadata() };
  }

  /** Forget the last answer: the kernel that had it is gone. */
  forget(): void {
    this._revision = null;
    this._told = new Map();
  }

  /** Names the last answer; null when there is none. */
  private _revision: string | null = null;
  /** The cells of the last answer by id, as JSON text; null for an id that several had. */
  private _told = new Map<string, string | null>();
}

/** What a person wrote, without what may be large: outputs, attached images. */
function bareJson(cell: ICellSource): nbformat.ICell {
  const { id, cell_type, source, metadata } = cellJson(cell);
  return { id, cell_type, source, metadata };
}

function unchanged({ id }: ICellSource): UnchangedCell {
  return { id, unchanged: true };
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
