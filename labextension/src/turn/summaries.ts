import type { TurnJson } from './delta';
import { isObject, asText } from './model';

/** Text that replaces a cell in requests. */
export type Summary = {
  text: string;
  /** Hash of the text that it summarises. */
  source: string;
};

/**
 * Return the summaries of whole cells that a turn made, by cell id; malformed ones are left out.
 */
export function cellSummaries(turn: TurnJson): Map<string, Summary> {
  const found = new Map<string, Summary>();
  const made = isObject(turn.context) ? turn.context.summaries : undefined;
  for (const [key, summary] of Object.entries(isObject(made) ? made : {})) {
    const words = isObject(summary) ? asText(summary.text) : undefined;
    const source = isObject(summary) ? asText(summary.source) : undefined;
    // A key with a slash belongs to a call in a cell.
    if (!key.includes('/') && words !== undefined && source !== undefined) {
      found.set(key, { text: words, source });
    }
  }
  return found;
}

/**
 * Return whether a summary replaces the one that a cell has under `summary`.
 *
 * A summary without a source is a person's own and stays. One of the same source may have been
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
