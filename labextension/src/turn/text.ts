/*
 * Characters that a reader does not see are written as `\u202e`. `msgbook.text` does the same in
 * Python: tests/display/fixtures/visible_characters.json is tested on both sides.
 */

// C0 except tab and newline, DEL and C1; marks that reorder text; invisible marks. Those of the tag
// block can hide whole sentences.
const CONTROLS =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\u{e0000}-\u{e007f}]/gu;

// Controls, format characters, blanks except the space, and letters, marks and symbols that show
// nothing, such as the empty Braille pattern, a note without a head or a blank hieroglyph.
const INVISIBLE =
  /(?![ \n\t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{16fe4}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]/gu;

/** Return `text` with control, bidi and other invisible characters written out. */
export function controlsVisible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(CONTROLS, writeOut);
}

/**
 * Return `text` for a person who decides about it, with every unclear character written out.
 *
 * These are all that look like nothing or like a space. `controlsVisible` keeps those that scripts
 * and emoji need.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, writeOut);
}

function writeOut(character: string): string {
  const code = character.codePointAt(0)!;
  if (character === '\r') {
    return '\\r';
  }
  const digits = code.toString(16);
  return code < 0x10000
    ? `\\u${digits.padStart(4, '0')}`
    : `\\U${digits.padStart(8, '0')}`;
}

/** Levels of JSON that are indented. */
const MAX_INDENT = 40;

/** Characters of JSON that is indented: a regular expression cannot match a string of any length. */
const MAX_INDENTED = 1_000_000;

/** Characters of a call's arguments in a line that is always seen. */
const GIST_LENGTH = 300;

/** Return the beginning of a call's arguments in one line, with `visible` characters. */
export function argumentsGist(json: string): string {
  return visible(json.slice(0, GIST_LENGTH).replace(/\s+/g, ' '));
}

/**
 * Indent JSON for reading; return any other text, and a very long one, unchanged.
 *
 * The tokens stay as they were sent, since a person judges them. Parsing and writing again would
 * round large numbers, drop duplicate keys and change escapes.
 */
export function indentJson(json: string): string {
  if (json.length > MAX_INDENTED) {
    return json;
  }
  try {
    JSON.parse(json);
  } catch {
    return json;
  }
  const tokens =
    json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0;
  let out = '';
  tokens.forEach((token, index) => {
    const previous = tokens[index - 1];
    if (token === '}' || token === ']') {
      depth -= 1;
      out +=
        previous === '{' || previous === '[' ? token : newline(depth) + token;
      return;
    }
    if (previous === '{' || previous === '[' || previous === ',') {
      out += newline(depth);
    }
    out += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') {
      depth += 1;
    }
  });
  return out;
}

function newline(depth: number): string {
  // Without a limit, JSON of brackets alone would take quadratic space.
  return '\n' + '  '.repeat(Math.min(depth, MAX_INDENT));
}

/** Return the beginning of a text that is too long, without half a character; else all of it. */
export function shortened(text: string, most: number): string {
  return text.length > most
    ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`
    : text;
}

/** Return text of unknown origin as one line. */
export function shownText(text: string): string {
  return controlsVisible(text.replace(/\s+/g, ' ')).trim();
}

/** Return the title of a cell without the marks of Markdown. */
export function plainTitle(title: string): string {
  const plain = title
    .replace(/^#{1,6} +/, '')
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^*_]+)\1/g, '$2')
    .replace(/`([^`]+)`/g, '$1');
  return plain.trim() || title;
}

/** Return the words of a value that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
