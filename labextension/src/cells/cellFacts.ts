import type { BareCell } from '../comm/ourKernels';
import type { History } from '../comm/turnMessages';
import { asText, isObject } from '../turn/reading';

/** What a cell is for the conversation. */
export type CellKind = 'prompt' | 'code' | 'magic' | 'note' | 'raw' | 'empty';

/** What a cell and its metadata say about requests below it. */
export interface ICellFacts {
  readonly kind: CellKind;
  readonly history: History;
  /** The text that is sent in place of the cell, if there is one yet. */
  readonly summary?: string;
  /** The agent and the model that the prompt itself names. */
  readonly agent?: string;
  readonly model?: string;
  /** The role of a note, if it is not the usual one. */
  readonly role?: string;
  /** What keeps the cell from being sent until it is mended: a line of its file, or its `history`. */
  readonly unread?: string;
}

/** A cell as this module needs it. */
export interface ICellLike {
  readonly type: string;
  readonly source: string;
  /** `metadata.msgbook`, of any type. */
  readonly ours: unknown;
}

// What is a blank to the kernels: `\s` of Python, which is not that of JavaScript.
const BLANK =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const EMPTY = new RegExp(`^[${BLANK}]*$`);

const INCLUDED: readonly unknown[] = ['include', '1', 'true'];
const EXCLUDED: readonly unknown[] = ['exclude', 'none', '0', 'false'];

/** Return what a cell and its metadata say; a `%%msg` line wins over the metadata. */
export function cellFacts(
  { type, source, ours }: ICellLike,
  bare: BareCell
): ICellFacts {
  const metadata = isObject(ours) ? ours : {};
  const kind = kindOf(type, source, bare);
  const line = parseMsgLine(kind === 'prompt' ? source : '');
  const named = (key: string) =>
    asText((line.attributes.get(key) || asText(metadata[key]))?.trim());
  const unread = line.attributes.has('history')
    ? undefined
    : unreadOf(metadata);
  const summary = isObject(metadata.summary) ? metadata.summary.text : '';
  return {
    kind,
    history:
      line.isReadable && unread === undefined
        ? historyOf(line.attributes.get('history') ?? metadata.history)
        : 'exclude',
    unread,
    summary: asText(summary),
    agent: kind === 'prompt' ? named('agent') : undefined,
    model: kind === 'prompt' ? named('model') : undefined,
    role: kind === 'note' ? asText(metadata.role) : undefined
  };
}

/** In Python: `msgbook_format.syntax.unread_footnote`. */
function unreadOf(metadata: Record<string, unknown>): string | undefined {
  const { history, text } = metadata;
  if (history !== undefined) {
    return isHistory(history)
      ? undefined
      : (asText(history) ?? JSON.stringify(history));
  }
  return isObject(text) ? asText(text.unread) : undefined;
}

/** Return whether a `history` is a known one. */
function isHistory(value: unknown): boolean {
  const text = String(value).trim().toLowerCase();
  return [...INCLUDED, ...EXCLUDED, 'summary'].includes(text);
}

/** Return the meaning of a `history`; an unknown value excludes (docs/format.md). */
export function historyOf(value: unknown): History {
  if (value === undefined) {
    return 'include';
  }
  const text =
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
      ? String(value).trim().toLowerCase()
      : '';
  return text === 'summary'
    ? 'summary'
    : INCLUDED.includes(text)
      ? 'include'
      : 'exclude';
}

/** Return whether a request below can hold anything of such a cell. */
export function isSent(kind: CellKind): boolean {
  return kind === 'prompt' || kind === 'code' || kind === 'note';
}

function kindOf(type: string, source: string, bare: BareCell): CellKind {
  if (type === 'raw') {
    return 'raw';
  }
  if (EMPTY.test(source)) {
    return 'empty';
  }
  if (type !== 'code') {
    return 'note';
  }
  const opening = openingOf(source);
  if (opening === undefined) {
    return bare === 'message' ? 'prompt' : 'code';
  }
  if (['%%msg', '%continue'].includes(opening)) {
    return 'prompt';
  }
  return OWN_MAGICS.includes(opening) ? 'magic' : 'code';
}

/*
 * The line `%%msg KEY=VALUE ...` that a prompt can begin with. `msgbook_format.syntax.parse_msg_line`
 * reads it in Python: tests/format/syntax/fixtures/msg_lines.json tests both.
 */

const QUOTED = '"(?:[^"\\\\]|\\\\[^\\n])*"';
const LINE = new RegExp(`^([${BLANK}]*%%msg)(?![^${BLANK}])([^\\n]*)(\\n?)`);
const KEY = `[^${BLANK}="\\[\\]]+`;
const TOKEN = new RegExp(
  `\\[(${KEY})=(${QUOTED}|[^${BLANK}\\]]*)\\](?=[${BLANK}]|$)` +
    `|(${KEY})=(${QUOTED}(?=[${BLANK}]|$)|[^${BLANK}]*)` +
    `|[^${BLANK}]+`,
  'g'
);
const CLOSED = new RegExp(`^${QUOTED}$`);
const BARE = /^[A-Za-z0-9_.:,+-]+$/;

/** The `%%msg` line of a prompt. */
export interface IMsgLine {
  readonly attributes: ReadonlyMap<string, string>;
  /** False if a word of it cannot be read: such a prompt is never sent. */
  readonly isReadable: boolean;
}

/** Return what the `%%msg` line of a source says; no attributes if there is no such line. */
export function parseMsgLine(source: string): IMsgLine {
  const attributes = new Map<string, string>();
  let isReadable = true;
  for (const match of (LINE.exec(source)?.[2] ?? '').matchAll(TOKEN)) {
    const key = match[1] ?? match[3];
    const token = match[2] ?? match[4];
    if (key === undefined || attributes.has(key) || isBadlyQuoted(token)) {
      isReadable = false;
    }
    if (key !== undefined && !attributes.has(key)) {
      attributes.set(key, valueOf(token));
    }
  }
  return { attributes, isReadable };
}

/** Return a source without its `%%msg` line. */
export function withoutMsgLine(source: string): string {
  return source.replace(LINE, '');
}

/**
 * Return a source whose `%%msg` line has an attribute with this value, or lacks it for `null`.
 *
 * A source without such an attribute is returned as it is.
 */
export function changeMsgAttribute(
  source: string,
  key: string,
  value: string | null
): string {
  const line = LINE.exec(source);
  if (line === null || !parseMsgLine(source).attributes.has(key)) {
    return source;
  }
  const rest = source.slice(line[0].length);
  let isPut = value === null;
  const words: string[] = [];
  for (const match of line[2].matchAll(TOKEN)) {
    if ((match[1] ?? match[3]) !== key) {
      words.push(match[0]);
    } else if (!isPut) {
      words.push(`${key}=${spell(value!)}`);
      isPut = true;
    }
  }
  // Without the line, what follows it could be code.
  return `${[line[1], ...words].join(' ')}${line[3]}${rest}`;
}

function isBadlyQuoted(token: string): boolean {
  return (
    token.startsWith("'") || (token.startsWith('"') && !CLOSED.test(token))
  );
}

function valueOf(token: string): string {
  if (token.length < 2 || !token.startsWith('"') || !token.endsWith('"')) {
    return token;
  }
  try {
    return JSON.parse(token) as string;
  } catch {
    return token.slice(1, -1).replace(/\\"/g, '"');
  }
}

/** Return a value as the attribute of a magic's line has it. */
export function spell(value: string): string {
  return BARE.test(value) ? value : JSON.stringify(value);
}

// An image, `![text](`, begins a message: no shell accepts it (docs/format.md).
const SHELL_COMMAND = new RegExp(
  `^[${BLANK}]*!(?!\\[(?:[^[\\]\\\\\\r\\n]|\\\\[^\\r\\n]|\\[[^[\\]\\r\\n]*\\])*\\]\\()`
);
// Names such as `%%msg-x` and `%model-x` belong to somebody else.
const MAGIC = new RegExp(
  `^[${BLANK}]*(%%msg[^${BLANK}]+|%%[A-Za-z_][\\w.]*|%[A-Za-z_][^${BLANK}]*)`
);

/** Return the magic that a source begins with, `!` for a shell command; undefined for a message. */
export function openingOf(source: string): string | undefined {
  return SHELL_COMMAND.test(source) ? '!' : MAGIC.exec(source)?.[1];
}

/** msgbook's line magics, as in tests/notebook/fixtures/own_magics.json: their cells are not sent. */
export const OWN_MAGICS: readonly string[] = [
  '%agent',
  '%approvals',
  '%cache',
  '%compact',
  '%context',
  '%display',
  '%help',
  '%macros',
  '%mcp',
  '%model',
  '%models',
  '%prune',
  '%rules',
  '%skills',
  '%stale',
  '%tool',
  '%tools',
  '%usage'
];
