/*
 * JSON of unknown origin as values of known types. What has a wrong type counts as absent, which is
 * `undefined`.
 */

/** Return whether a value is a JSON object, not an array, null or a plain value. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Return `value` if it is a string that is not empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Return `value` if it is a finite number that is not negative: a duration or a count. */
export function asAmount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? value
    : undefined;
}

/** Return the strings of a list that are not empty; nothing for a value that is no list. */
export function asTexts(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [];
  return all.map(asText).filter(text => text !== undefined);
}

/** Return the objects of a list; nothing for a value that is no list. */
export function asObjects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
}

/** Return the time that a text names, in milliseconds since the epoch. */
export function asTime(value: unknown): number | undefined {
  const time = Date.parse(asText(value) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

export function isTrue(value: unknown): boolean {
  return value === true;
}

/** Reads a value of any type. */
export type Read<T> = (value: unknown) => T;

/** Return a reader with another value for what is absent. */
export function or<T, Absent>(
  read: Read<T>,
  absent: Absent
): Read<Exclude<T, undefined> | Absent> {
  return value => (read(value) as Exclude<T, undefined> | undefined) ?? absent;
}

export const textOrEmpty = or(asText, '');

/** Return a reader that also takes null. */
export function nullOr<T>(read: Read<T>): Read<T | null> {
  return value => (value === null ? null : read(value));
}

/** Return a reader of one of some words. */
export function oneOf<const T extends string>(
  ...words: readonly T[]
): Read<T | undefined> {
  return value => words.find(word => word === value);
}

/** Return a reader of a list of objects, without those for which `read` returns null. */
export function listOf<T>(read: Read<T>): Read<Exclude<T, null>[]> {
  return value =>
    asObjects(value)
      .map(read)
      .filter((one): one is Exclude<T, null> => one !== null);
}

/** Readers of the fields of an object. */
export type Fields = Readonly<Record<string, Read<unknown>>>;

/** An object type with its members written out, for messages of the compiler. */
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** What readers return of an object; a field that may be absent is optional. */
export type Values<F extends Fields> = Flat<
  {
    [
      K in keyof F as undefined extends ReturnType<F[K]> ? never : K
    ]: ReturnType<F[K]>;
  } & {
    [
      K in keyof F as undefined extends ReturnType<F[K]> ? K : never
    ]?: ReturnType<F[K]>;
  }
>;

/** What readers return of an object that lacks no field of the first ones. */
export type Whole<N extends Fields, M extends Fields> = Flat<
  { [K in keyof N]: Exclude<ReturnType<N[K]>, undefined> } & Values<M>
>;

/**
 * Return a reader of an object with these fields. A value that is no object counts as an empty one.
 *
 * In JSON the name of `cellId` is `cell_id`.
 */
export function fields<F extends Fields>(readers: F): Read<Values<F>> {
  const all = Object.entries(readers).map(
    ([name, read]) => [name, jsonName(name), read] as const
  );
  return value => {
    const object = isObject(value) ? value : {};
    const found = all.map(([name, key, read]) => [name, read(object[key])]);
    return Object.fromEntries(found) as Values<F>;
  };
}

/** Return a reader of an object with these fields, and null for one that lacks any that is needed. */
export function whole<
  N extends Fields,
  M extends Fields = Record<never, never>
>(needed: N, more?: M): Read<Whole<N, M> | null> {
  const read = fields({ ...needed, ...more });
  const names = Object.keys(needed);
  return value => {
    const found = read(value) as Record<string, unknown>;
    return names.every(name => found[name] !== undefined)
      ? (found as Whole<N, M>)
      : null;
  };
}

function jsonName(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}
