/*
 * The line `%%msg KEY=VALUE ...` that a prompt can begin with. `msgbook_format.syntax.parse_msg_line`
 * reads it in Python: tests/format/syntax/fixtures/msg_lines.json tests both.
 */

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const LINE = /^(\s*%%msg)(?!\S)([^\n]*)(\n?)/;
const TOKEN = new RegExp(
  `\\[([^\\s="\\[\\]]+)=(${QUOTED}|[^\\s\\]]*)\\](?=\\s|$)` +
    `|([^\\s="\\[\\]]+)=(${QUOTED}(?=\\s|$)|\\S*)` +
    '|\\S+',
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
  return words.length === 0
    ? rest
    : `${line[1]} ${words.join(' ')}${line[3]}${rest}`;
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

function spell(value: string): string {
  return BARE.test(value) ? value : JSON.stringify(value);
}
