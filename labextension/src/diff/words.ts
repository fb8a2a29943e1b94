import { diffLines, diffWordsWithSpace, type ChangeObject } from 'diff';

/** A piece of a text, in both versions or in one. */
export interface IPiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Texts that differ in more words, or lines, are compared less closely. */
const MAX_EDITS = 1000;

/** Return what is different between two texts: words, else lines, else the whole. */
export function diffWords(before: string, after: string): IPiece[] {
  const limit = { maxEditLength: MAX_EDITS };
  const changes =
    diffWordsWithSpace(before, after, limit) ?? diffLines(before, after, limit);
  if (changes) {
    return changes.map(piece);
  }
  return [
    { kind: 'removed', text: before },
    { kind: 'added', text: after }
  ];
}

function piece({ added, removed, value }: ChangeObject<string>): IPiece {
  const kind = added ? 'added' : removed ? 'removed' : 'same';
  return { kind, text: value };
}
