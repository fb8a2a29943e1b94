import type { TurnJson } from './delta';
import { isObject, text } from './model';

/** What stands in the history in place of a cell. */
export type Summary = {
  text: string;
  /** Hash of what it sums up. */
  source: string;
};

/** The summaries of whole cells that a turn had made, by cell id; odd ones are left out. */
export function cellSummaries(turn: TurnJson): Map<string, Summary> {
  const found = new Map<string, Summary>();
  const made = isObject(turn.context) ? turn.context.summaries : undefined;
  for (const [key, summary] of Object.entries(isObject(made) ? made : {})) {
    const words = isObject(summary) ? text(summary.text) : undefined;
    const source = isObject(summary) ? text(summary.source) : undefined;
    // A key with a slash is that of a call in a cell.
    if (!key.includes('/') && words !== undefined && source !== undefined) {
      found.set(key, { text: words, source });
    }
  }
  return found;
}

/**
 * Whether a summary takes the place of what a cell has under `summary`.
 *
 * One without a source is a person's own and holds for good; one of the same source may have been
 * edited.
 */
export function supersedes(summary: Summary, before: unknown): boolean {
  return (
    before === undefined ||
    (isObject(before) &&
      typeof before.source === 'string' &&
      before.source !== summary.source)
  );
}
