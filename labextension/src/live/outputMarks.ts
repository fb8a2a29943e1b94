import type { ICodeCellModel } from '@jupyterlab/cells';
import type { JSONObject } from '@lumino/coreutils';

import { isObject } from '../turn/model';

const OURS = 'msgbook';
const SENT = new Set(['include', '1', 'true']);

/** The part of a cell's model that holds marks. */
export type MarkedCell = Pick<
  ICodeCellModel,
  'outputs' | 'getMetadata' | 'setMetadata'
>;

/**
 * Keep in a cell which of its displays were hidden, before a run replaces them and their metadata.
 *
 * Marks that fit no output hide all outputs of the cell, and the next turn says so (docs/format.md,
 * section 6): the new ones may contain what was hidden.
 */
export function keepMarks(cell: MarkedCell): void {
  const marks: JSONObject = {};
  for (let index = 0; index < cell.outputs.length; index++) {
    const ours: unknown = cell.outputs.get(index).metadata[OURS];
    const history = isObject(ours) ? ours.history : undefined;
    if (history !== undefined && !SENT.has(asWord(history))) {
      marks[index] = { history: asWord(history), sha256: '' };
    }
  }
  if (Object.keys(marks).length > 0) {
    const found: unknown = cell.getMetadata(OURS);
    const ours = isObject(found) ? found : {};
    const before = isObject(ours.output_history) ? ours.output_history : {};
    cell.setMetadata(OURS, {
      ...ours,
      output_history: { ...before, ...marks }
    });
  }
}

function asWord(history: unknown): string {
  return typeof history === 'string'
    ? history.trim().toLowerCase()
    : JSON.stringify(history);
}
