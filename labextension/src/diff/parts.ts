import { diffArrays } from 'diff';

import type { IPart } from './chatCell';

/** A part of an answer in both versions, or in one of them. */
export interface IPartRow {
  readonly type: string;
  readonly before?: string;
  readonly after?: string;
}

const MAX_EDITS = 800;

/** Return the parts of two answers, in order; what changed in place is one row. */
export function diffParts(
  before: readonly IPart[],
  after: readonly IPart[]
): IPartRow[] {
  const rows: IPartRow[] = [];
  let removed: IPart[] = [];
  for (const change of align(before, after)) {
    if (change.removed) {
      removed = change.value;
      continue;
    }
    const pairs = change.added ? removed : [];
    if (!change.added) {
      rows.push(...removed.map(removedRow));
    }
    for (const { type, text } of change.value) {
      const index = pairs.findIndex(part => part.type === type);
      rows.push(...pairs.splice(0, Math.max(index, 0)).map(removedRow));
      const paired = change.added ? (index < 0 ? null : pairs.shift()!) : null;
      const old = change.added ? paired?.text : text;
      rows.push({ type, before: old, after: text });
    }
    rows.push(...pairs.map(removedRow));
    removed = [];
  }
  return [...rows, ...removed.map(removedRow)];
}

function align(
  before: readonly IPart[],
  after: readonly IPart[]
): { removed: boolean; added: boolean; value: IPart[] }[] {
  return (
    diffArrays([...before], [...after], {
      comparator: (left, right) =>
        left.type === right.type && left.text === right.text,
      maxEditLength: MAX_EDITS
    }) ?? [
      { removed: true, added: false, value: [...before] },
      { removed: false, added: true, value: [...after] }
    ]
  );
}

function removedRow({ type, text }: IPart): IPartRow {
  return { type, before: text };
}
