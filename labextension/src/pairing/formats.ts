import type { JSONObject, JSONValue } from '@lumino/coreutils';

const NOTEBOOK = '.ipynb';
const MESSAGES = '.msg.md';

/** An entry of Jupytext's formats that names the `.ipynb`, after its folder if it has one. */
const NOTEBOOK_ENTRY = /^(.*\/)?\.?ipynb$/;

/** An entry that names the message file, likewise. */
const MESSAGES_ENTRY = /^(.*\/)?\.msg\.md(:msg)?$/;

/** Names of an open message file in Jupytext's own menu; for an `.ipynb` they mean other files. */
const MENU_ENTRIES = new Set(['md', 'md:msg', 'auto:msg', '.msg.auto:msg']);

/** Return the other file of a pair with `path`; null if `path` cannot be half of one. */
export function otherPath(path: string): string | null {
  if (isMessageFile(path)) {
    return path.slice(0, -MESSAGES.length) + NOTEBOOK;
  }
  return path.endsWith(NOTEBOOK)
    ? path.slice(0, -NOTEBOOK.length) + MESSAGES
    : null;
}

/** Return whether a path has the name of a message file. */
export function isMessageFile(path: string): boolean {
  return path.endsWith(MESSAGES);
}

/**
 * Return the formats that a notebook's `metadata.jupytext` names, as Jupytext writes them: `a,b`.
 */
export function formatsOf(jupytext: JSONValue | undefined): string {
  const formats = asObject(jupytext).formats;
  return typeof formats === 'string' ? formats : '';
}

/**
 * Return `metadata.jupytext` with other formats, undefined if nothing is left in it; not in place.
 */
export function withFormats(
  jupytext: JSONValue | undefined,
  formats: string
): JSONObject | undefined {
  const options = { ...asObject(jupytext) };
  delete options.formats;
  if (formats) {
    options.formats = formats;
  }
  return Object.keys(options).length > 0 ? options : undefined;
}

/** Return whether the formats of the notebook at `path` pair an `.ipynb` with a message file. */
export function isPaired(formats: string, path: string): boolean {
  const entries = split(formats);
  return (
    entries.some(entry => NOTEBOOK_ENTRY.test(entry)) &&
    entries.some(entry => isMessagesEntry(entry, path))
  );
}

/**
 * Return the formats with both halves of the pair, in the folder that they name, and all others.
 */
export function pair(formats: string, path: string): string {
  const entries = split(formats);
  const own = isMessageFile(path) ? MESSAGES_ENTRY : NOTEBOOK_ENTRY;
  const folder = entries.map(entry => own.exec(entry)?.[1]).find(Boolean) ?? '';
  const rest = entries.filter(
    entry => !NOTEBOOK_ENTRY.test(entry) && !isMessagesEntry(entry, path)
  );
  return [`${folder}ipynb`, `${folder}.msg.md:msg`, ...rest].join(',');
}

/**
 * Return the formats without the other half; empty if only the notebook at `path` would be left.
 */
export function unpair(formats: string, path: string): string {
  const left = split(formats).filter(entry =>
    isMessageFile(path)
      ? !NOTEBOOK_ENTRY.test(entry)
      : !MESSAGES_ENTRY.test(entry)
  );
  return left.length > 1 ? left.join(',') : '';
}

function isMessagesEntry(entry: string, path: string): boolean {
  return (
    MESSAGES_ENTRY.test(entry) ||
    (isMessageFile(path) && MENU_ENTRIES.has(entry))
  );
}

function split(formats: string): string[] {
  return formats
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean);
}

function asObject(value: JSONValue | undefined): JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value
    : {};
}
