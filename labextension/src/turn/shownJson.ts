import { isObject } from './model';
import { formatCount } from './wording';

/** Length of the longest string that is shown whole. */
const STRING_LIMIT = 500;
const BEGINNING = 200;
const ENTRIES = 100;
const VALUES = 500;
const DEPTH = 12;
const ENCRYPTED = 'encrypted';

/**
 * Return JSON that shows at most the beginning of a long value, and says what is left out.
 *
 * A value whose key begins with `encrypted` is never shown. The rules are those of
 * `msgbook_format.turn.shown_json`; tests/format/turn/fixtures/shown_json.json tests both.
 */
export function shownJson(value: unknown): unknown {
  return new Shortener().shown(value, DEPTH);
}

class Shortener {
  shown(value: unknown, depth: number): unknown {
    this._left -= 1;
    if (typeof value === 'string') {
      return shownString(value);
    }
    if (Array.isArray(value)) {
      const isTooDeep = depth === 0 && value.length > 0;
      return isTooDeep ? TOO_DEEP : this._list(value, depth);
    }
    if (isObject(value)) {
      const isTooDeep = depth === 0 && Object.keys(value).length > 0;
      return isTooDeep ? TOO_DEEP : this._object(value, depth);
    }
    return value;
  }

  private _object(value: Record<string, unknown>, depth: number): unknown {
    const keys = Object.keys(value);
    const entries: [string, unknown][] = [];
    for (const key of keys.slice(0, ENTRIES)) {
      if (this._left <= 0) {
        break;
      }
      const entry = value[key];
      const isHidden = key.startsWith(ENCRYPTED) && entry !== null;
      const shown = isHidden ? hidden(entry) : this.shown(entry, depth - 1);
      entries.push([shownString(key), shown]);
    }
    if (entries.length < keys.length) {
      entries.push(['…', more(keys.length - entries.length)]);
    }
    return Object.fromEntries(entries);
  }

  private _list(value: readonly unknown[], depth: number): unknown {
    const entries: unknown[] = [];
    for (const entry of value.slice(0, ENTRIES)) {
      if (this._left <= 0) {
        break;
      }
      entries.push(this.shown(entry, depth - 1));
    }
    return entries.length < value.length
      ? [...entries, `… ${more(value.length - entries.length)}`]
      : entries;
  }

  private _left = VALUES;
}

const TOO_DEEP = '… (nested too deep to be shown)';

function shownString(text: string): string {
  return text.length <= STRING_LIMIT
    ? text
    : `${text.slice(0, BEGINNING)}… ${size(text)}`;
}

function hidden(value: unknown): string {
  return typeof value === 'string' ? size(value) : '(not shown)';
}

function size(text: string): string {
  return `(${formatCount(text.length)} characters)`;
}

function more(number: number): string {
  return `(${formatCount(number)} more)`;
}
