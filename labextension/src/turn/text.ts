// C0 but tab and newline, DEL and C1; marks that reorder text; marks that cannot be seen, those of
// the tag block included, with which a text can carry words that a person does not see.
const UNSEEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** `text` with control, bidi and other invisible characters written as `\u{…}`. */
export function visible(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(UNSEEN, c => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}

// Controls, formats, blanks but the space, and letters and marks that show nothing, Braille's empty
// one among them. The kernel's `msgbook.text.visible` does the same.
const NOT_SEEN =
  /(?![ \n\t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * `text` as a person has to see it to judge it: nothing in it passes for nothing or for a space.
 *
 * Stricter than `visible`, which leaves what texts in many scripts and emoji are made of.
 */
export function writtenOut(text: string): string {
  return text.replace(NOT_SEEN, c => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}

/** So many levels of JSON are indented. */
const DEEPEST = 40;

/** So many characters of a call's arguments are put into a line that is always seen. */
const GIST = 300;

/** The beginning of a call's arguments in one line, as a person has to see it to judge it. */
export function argumentsGist(json: string): string {
  return writtenOut(json.slice(0, GIST).replace(/\s+/g, ' '));
}

/**
 * `json` indented for reading; anything else but JSON unchanged.
 *
 * The tokens stay as they were sent: parsing and writing again would round large numbers, drop
 * duplicate keys and change escapes, and what is shown here is what a person is asked to judge.
 */
export function indentJson(json: string): string {
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
  // JSON of nothing but brackets would take the square of its length.
  return '\n' + '  '.repeat(Math.min(depth, DEEPEST));
}
