import { asObjects, asTexts, isObject } from '../turn/model';

/** Neighbouring stale turns with the same first change, as the kernel tells them. */
export interface IStaleGroup {
  /** Ids of their cells. */
  readonly turns: readonly string[];
  /** Ids of the cells of which one contains the first change; the last is the first turn's. */
  readonly changed: readonly string[];
  /** Whether the system message may have changed instead. */
  readonly maybeSystem: boolean;
}

/** Why the turns of a group are stale, as far as it is known. */
export type StaleCause =
  /** Cells that have changed since the first of the turns ended; not empty. */
  | { readonly kind: 'cells'; readonly ids: readonly string[] }
  /** A cell was added, deleted or moved; the first turn's own, if it `isNew` in the notebook. */
  | { readonly kind: 'place'; readonly isNew: boolean }
  | {
      readonly kind: 'between';
      readonly first: string;
      readonly last: string;
      readonly maybeSystem: boolean;
    };

/** Return the groups of the answer to `stale.list`; what is not well formed is left out. */
export function parseStaleGroups(answer: unknown): IStaleGroup[] {
  const groups = isObject(answer) ? asObjects(answer.groups) : [];
  return groups.flatMap(group => {
    const turns = asTexts(group.turns);
    const changed = asTexts(group.changed);
    const maybeSystem = group.maybe_system === true;
    return turns.length > 0 && changed.length > 0
      ? [{ turns, changed, maybeSystem }]
      : [];
  });
}

/** What a person and the runs of cells have changed since the notebook was opened, in its order. */
export class ChangeLog {
  /** Note that the text of a cell, or what it says about its history, has changed. */
  noteCell(cellId: string): void {
    this._cells.set(cellId, ++this._count);
  }

  /** Note that the outputs of a cell have changed. */
  noteOutputs(cellId: string): void {
    this._outputs.set(cellId, ++this._count);
  }

  /** Note that cells were added, moved or deleted: which ids are there that were not before. */
  notePlaces(added: readonly string[] = []): void {
    this._places = ++this._count;
    added.forEach(id => this._added.add(id));
  }

  /**
   * Return why the turns of a group are stale.
   *
   * @param range - Ids of all cells from the first that may have changed through the first turn's.
   */
  causeOf(
    { changed, maybeSystem }: IStaleGroup,
    range: readonly string[]
  ): StaleCause {
    const turn = changed[changed.length - 1];
    const ended = this._outputs.get(turn) ?? 0;
    const ids = range.filter(id => {
      const outputs = id === turn ? 0 : (this._outputs.get(id) ?? 0);
      return Math.max(this._cells.get(id) ?? 0, outputs) > ended;
    });
    if (ids.length > 0) {
      return { kind: 'cells', ids };
    }
    return this._places > ended
      ? { kind: 'place', isNew: this._added.has(turn) }
      : { kind: 'between', first: changed[0], last: turn, maybeSystem };
  }

  private readonly _cells = new Map<string, number>();
  private readonly _outputs = new Map<string, number>();
  private readonly _added = new Set<string>();
  private _places = 0;
  private _count = 0;
}
