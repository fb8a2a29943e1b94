import { button, element } from '../render/dom';
import { isObject } from '../turn/reading';
import { controlsVisible } from '../turn/text';

/** Entries of an object or a list that are added at once. */
const ENTRIES = 100;

/** Characters of a text that stand on its line. */
const LINE = 500;

/**
 * Return a JSON value as a tree of `<details>`. The entries of an object or a list are made when it
 * is opened; the outermost is open.
 *
 * @param more - Returns the label of a button that shows so many more entries.
 */
export function jsonTree(
  value: unknown,
  more: (left: number) => string
): HTMLElement {
  return element('div', 'msgbook-Json', jsonNode(null, value, more, true));
}

function jsonNode(
  key: string | null,
  value: unknown,
  more: (left: number) => string,
  open = false
): HTMLElement {
  const name =
    key === null
      ? []
      : [element('span', 'msgbook-Json-key', `${controlsVisible(key)}: `)];
  const entries = entriesOf(value);
  if (entries === null || entries.length === 0) {
    const leaf = element('div', 'msgbook-Json-leaf', ...name, leafNode(value));
    leaf.dir = 'auto';
    return leaf;
  }
  const [start, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const size = element(
    'span',
    'msgbook-Json-size',
    `${start}${entries.length}${end}`
  );
  const summary = element('summary', '', ...name, size);
  const node = element('details', 'msgbook-Json-node', summary);
  const fill = () => {
    if (node.open && node.childElementCount === 1) {
      addEntries(node, entries, 0, more);
    }
  };
  node.addEventListener('toggle', fill);
  node.open = open;
  fill();
  return node;
}

function addEntries(
  node: HTMLElement,
  entries: readonly [string, unknown][],
  from: number,
  more: (left: number) => string
): void {
  const end = from + ENTRIES;
  for (const [key, value] of entries.slice(from, end)) {
    node.append(jsonNode(key, value, more));
  }
  if (end < entries.length) {
    const label = more(entries.length - end);
    const next = button('msgbook-Rich-button', label, () => {
      next.remove();
      addEntries(node, entries, end, more);
    });
    node.append(next);
  }
}

function entriesOf(value: unknown): [string, unknown][] | null {
  return Array.isArray(value) || isObject(value) ? Object.entries(value) : null;
}

function leafNode(value: unknown): HTMLElement {
  const kind = value === null ? 'null' : typeof value;
  const text = JSON.stringify(value) ?? String(value);
  const node = element(
    'span',
    `msgbook-Json-${kind}`,
    controlsVisible(text.slice(0, LINE))
  );
  if (text.length > LINE) {
    const showAll = () => {
      node.textContent = controlsVisible(text);
    };
    node.append(button('msgbook-Rich-button', '…', showAll));
  }
  return node;
}

/**
 * Return the object or list that a text is, if a tree of it says the same as the text; else
 * undefined.
 *
 * A number that JavaScript would round, or a key that stands twice, is only in the text.
 */
export function treeOfText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === compact(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Return JSON text without white space, its strings and numbers as `JSON.stringify` writes them. */
function compact(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|\s+/g,
    (_, string?: string, number?: string) => {
      if (string !== undefined) {
        return JSON.stringify(JSON.parse(string));
      }
      return number === undefined ? '' : plainNumber(number);
    }
  );
}

function plainNumber(number: string): string {
  const digits = number.replace(/[eE].*$|\D/g, '').replace(/^0+/, '');
  return digits.length <= 15 ? JSON.stringify(Number(number)) : number;
}
