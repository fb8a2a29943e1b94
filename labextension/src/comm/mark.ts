import { isObject, text } from '../turn/model';

/** What the model is sent of a cell (seed 004). */
export type History = 'include' | 'exclude' | 'summary';

const HISTORIES: readonly unknown[] = ['include', 'exclude', 'summary'];

/** The kernel's request to set the history of cells (docs/protocol.md). */
export interface IMark {
  readonly cells: ReadonlySet<string>;
  readonly history: History;
  /** Client session of the page that marks a shared document; null where any page does. */
  readonly writer: string | null;
}

/** The request in a comm message, null when there is none or it is not well formed. */
export function parseMark(data: unknown): IMark | null {
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
        writer: text(data.writer) ?? null
      }
    : null;
}
