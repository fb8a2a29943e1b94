import { isObject, asText } from '../turn/model';

/** What a model gets of a cell: all of it, nothing or its summary. */
export type History = 'include' | 'exclude' | 'summary';

const HISTORIES: readonly unknown[] = ['include', 'exclude', 'summary'];

/** Return `value` if it is what a model can get of a cell. */
export function asHistory(value: unknown): History | undefined {
  return HISTORIES.includes(value) ? (value as History) : undefined;
}

/** The kernel's request to set the history of cells (docs/protocol.md). */
export interface IHistoryMark {
  readonly cells: ReadonlySet<string>;
  readonly history: History;
  /** Client session of the page that marks a shared document; null where any page does. */
  readonly writer: string | null;
}

/** Return the request in a comm message; null if there is none or it is not well formed. */
export function parseHistoryMark(data: unknown): IHistoryMark | null {
  if (!isObject(data) || data.type !== 'cells.mark') {
    return null;
  }
  const { cells, history } = data;
  return Array.isArray(cells) &&
    cells.every(id => typeof id === 'string') &&
    HISTORIES.includes(history)
    ? {
        cells: new Set(cells),
        history: history as History,
        writer: asText(data.writer) ?? null
      }
    : null;
}
