import { diffArrays } from 'diff';

import { isSame, type IChatCell } from './chatCell';

/** A cell in both versions, or in one of them. */
export interface IRow {
  readonly kind: 'same' | 'added' | 'removed' | 'changed';
  /** Whether the cell stands elsewhere among the cells of both versions. */
  readonly moved: boolean;
  readonly before?: IChatCell;
  readonly after?: IChatCell;
}

/** Neighbouring rows: unchanged ones, or a single other one. */
export type RowGroup =
  { readonly same: readonly IRow[] } | { readonly row: IRow };

/** Versions that differ in more cells are not aligned. */
const MAX_EDITS = 800;

/** Removed cells in which the earlier version of a new one is looked for. */
const REACH = 5;

/** Share of common words from which two cells at one place are versions of each other. */
const ALIKE = 0.3;

/**
 * Return the rows of two versions, in the order of the later one.
 *
 * Cells belong together by their id. A cell without a label has an id that follows from its text,
 * so neighbours that differ in their ids belong together if they are alike.
 */
export function diffCells(
  before: readonly IChatCell[],
  after: readonly IChatCell[]
): IRow[] {
  const old = new Map(before.map(cell => [cell.id, cell]));
  const kept = new Set(after.map(({ id }) => id).filter(id => old.has(id)));
  const rows: IRow[] = [];
  let removed: IChatCell[] = [];
  for (const change of align(before, after)) {
    if (change.removed) {
      removed = change.cells.filter(({ id }) => !kept.has(id));
      continue;
    }
    if (change.added) {
      rows.push(...replaced(removed, change.cells, old));
    } else {
      rows.push(...removed.map(removedRow));
      rows.push(...change.cells.map(cell => row(old.get(cell.id)!, cell)));
    }
    removed = [];
  }
  return [...rows, ...removed.map(removedRow)];
}

/** Return rows with neighbouring unchanged ones in one group. */
export function groupRows(rows: readonly IRow[]): RowGroup[] {
  const groups: RowGroup[] = [];
  let same: IRow[] = [];
  for (const row of rows) {
    if (row.kind !== 'same' || row.moved) {
      groups.push({ row });
      same = [];
    } else if (same.push(row) === 1) {
      groups.push({ same });
    }
  }
  return groups;
}

interface IChange {
  readonly removed: boolean;
  readonly added: boolean;
  readonly cells: readonly IChatCell[];
}

function align(
  before: readonly IChatCell[],
  after: readonly IChatCell[]
): IChange[] {
  const changes = diffArrays([...before], [...after], {
    comparator: (left, right) => left.id === right.id,
    maxEditLength: MAX_EDITS
  });
  return (
    changes?.map(({ removed, added, value }) => ({
      removed,
      added,
      cells: value
    })) ?? [
      { removed: true, added: false, cells: before },
      { removed: false, added: true, cells: after }
    ]
  );
}

/** Return the rows of a place where cells were taken out and put in. */
function replaced(
  removed: readonly IChatCell[],
  added: readonly IChatCell[],
  old: ReadonlyMap<string, IChatCell>
): IRow[] {
  const rows: IRow[] = [];
  let next = 0;
  for (const cell of added) {
    const same = old.get(cell.id);
    if (same !== undefined) {
      rows.push({ ...row(same, cell), moved: true });
      continue;
    }
    const reach = removed.slice(next, next + REACH);
    const index = reach.findIndex(candidate => areAlike(candidate, cell));
    if (index === -1) {
      rows.push({ kind: 'added', moved: false, after: cell });
    } else {
      rows.push(...reach.slice(0, index).map(removedRow));
      rows.push(row(reach[index], cell));
      next += index + 1;
    }
  }
  const gone = removed.slice(next).map(removedRow);
  return next === 0 ? [...gone, ...rows] : [...rows, ...gone];
}

function row(before: IChatCell, after: IChatCell): IRow {
  const kind = isSame(before, after) ? 'same' : 'changed';
  return { kind, moved: false, before, after };
}

function removedRow(before: IChatCell): IRow {
  return { kind: 'removed', moved: false, before };
}

function areAlike(before: IChatCell, after: IChatCell): boolean {
  if (before.type !== after.type) {
    return false;
  }
  const [left, right] = [before, after].map(
    ({ source }) => new Set(source.match(/\S+/g) ?? [])
  );
  const common = [...left].filter(word => right.has(word)).length;
  return common >= ALIKE * Math.max(left.size, right.size, 1);
}
