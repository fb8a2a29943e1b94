import type { TranslationBundle } from '@jupyterlab/translation';
import { isObject } from './reading';
import { formatCount } from './wording';
import { controlsVisible } from './text';
import { element } from '../render/dom';

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
 * `msgbook_format.turn.wording`; tests/format/turn/fixtures/shown_json.json tests both.
 */
export function shownJson(value: unknown, trans: TranslationBundle): unknown {
  return new Shortener(trans).shown(value, DEPTH);
}

class Shortener {
  constructor(private readonly _trans: TranslationBundle) {}

  shown(value: unknown, depth: number): unknown {
    this._left -= 1;
    if (typeof value === 'string') {
      return this._string(value);
    }
    if (Array.isArray(value)) {
      const isTooDeep = depth === 0 && value.length > 0;
      return isTooDeep ? this._tooDeep() : this._list(value, depth);
    }
    if (isObject(value)) {
      const isTooDeep = depth === 0 && Object.keys(value).length > 0;
      return isTooDeep ? this._tooDeep() : this._object(value, depth);
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
      const shown = isHidden
        ? this._hidden(entry)
        : this.shown(entry, depth - 1);
      entries.push([this._string(key), shown]);
    }
    if (entries.length < keys.length) {
      entries.push(['…', this._more(keys.length - entries.length)]);
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
      ? [...entries, `… ${this._more(value.length - entries.length)}`]
      : entries;
  }

  private _string(text: string): string {
    return text.length <= STRING_LIMIT
      ? text
      : `${text.slice(0, BEGINNING)}… ${this._size(text)}`;
  }

  private _hidden(value: unknown): string {
    return typeof value === 'string'
      ? this._size(value)
      : this._trans.__('(not shown)');
  }

  private _size(text: string): string {
    return this._trans.__('(%1 characters)', formatCount(text.length));
  }

  private _more(number: number): string {
    return this._trans.__('(%1 more)', formatCount(number));
  }

  private _tooDeep(): string {
    return this._trans.__('… (nested too deep to be shown)');
  }

  private _left = VALUES;
}

/** Return a node with JSON of unknown size, shortened; the rules are those of `shownJson`. */
export function shortJsonNode(
  value: unknown,
  trans: TranslationBundle
): HTMLElement {
  return jsonNode(shownJson(value, trans));
}

/** Return a node with any JSON as indented text. */
export function jsonNode(value: unknown): HTMLElement {
  const json = JSON.stringify(value, null, 2) ?? String(value);
  return element('pre', 'msgbook-Pre', controlsVisible(json));
}
