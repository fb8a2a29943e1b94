import type * as nbformat from '@jupyterlab/nbformat';
import { UUID } from '@lumino/coreutils';

import { isObject, asText } from '../turn/model';

/** The kernel's question for the live cells (docs/protocol.md). */
export interface ICellsQuestion {
  readonly requestId: string;
  /** Id of the cell that runs; null for all cells, without outputs and attachments. */
  readonly cellId: string | null;
  /** The revision of the answer that the kernel still has; null when it has none. */
  readonly known: string | null;
}

/** Stand-in for a cell that the kernel has unchanged. */
export type UnchangedCell = { id: string; unchanged: true };

/** The page's answer (docs/protocol.md). */
export type CellsAnswer = {
  type: 'cells';
  request_id: string;
  cells: (nbformat.ICell | UnchangedCell)[] | null;
  revision?: string;
  metadata?: nbformat.INotebookMetadata;
};

/** A cell whose content is read only if it is sent. */
export interface ICellSource {
  readonly id: string;
  toJSON(): nbformat.ICell;
}

/** Return the question in a comm message; null if there is none or it is not well formed. */
export function parseCellsQuestion(data: unknown): ICellsQuestion | null {
  if (!isObject(data) || data.type !== 'cells.get') {
    return null;
  }
  const requestId = asText(data.request_id);
  const cellId = data.cell_id === null ? null : asText(data.cell_id);
  return requestId !== undefined && cellId !== undefined
    ? { requestId, cellId, known: asText(data.known) ?? null }
    : null;
}

/**
 * Answers to the kernel's questions for the cells of one notebook.
 *
 * A cell that has not changed since the last answer is only named, if the kernel still has that
 * answer. Cells are compared as JSON texts: outputs change in place, and no signal reports every
 * change of a cell.
 */
export class CellsReporter {
  /** Return the cells from the first through the one that runs, or all. */
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
    const before = question.known === this._revision ? this._sent : null;
    const texts = new Map<string, string | null>();
    const sent = all.slice(0, running + 1).map(cell => {
      const json = cellJson(cell);
      const cellText = JSON.stringify(json);
      // The kernel cannot distinguish two cells with one id.
      texts.set(cell.id, texts.has(cell.id) ? null : cellText);
      return before?.get(cell.id) === cellText ? unchanged(cell) : json;
    });
    this._sent = texts;
    const revision = UUID.uuid4();
    this._revision = revision;
    return { ...answer, cells: sent, revision, metadata: metadata() };
  }

  /** Forget the last answer: the kernel that had it is gone. */
  forget(): void {
    this._revision = null;
    this._sent = new Map();
  }

  /** Id of the last answer; null if there is none. */
  private _revision: string | null = null;
  /** The cells of the last answer by id, as JSON text; null for an id that several had. */
  private _sent = new Map<string, string | null>();
}

/** Return a cell without its outputs and attached images, which may be large. */
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
