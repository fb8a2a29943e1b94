/*
 * JupyterLab's Markdown takes the square, or more, of the length of some texts: of a paragraph with
 * thousands of marks that open and never close, of long runs of backticks, of fences that nothing
 * closes. Meanwhile the page is frozen, and nothing can interrupt it. So an upper bound of the time is
 * estimated first, in linear time. The limits correspond to about half a second.
 */

/** A character that makes a parser search to the end of the paragraph. */
const MARK = /[*_~`[]/g;

/** Greatest product of a paragraph's characters and the marks in it. */
const MAX_PARAGRAPH_COST = 5e6;

/** Greatest sum of these products over all paragraphs. */
const MAX_TEXT_COST = 5e7;

/** Greatest product of fence lines and characters of the text. */
const MAX_FENCE_COST = 1e8;

/** Backticks or tildes in a row that are too many. */
const MAX_RUN = 64;

/** A line that opens or closes a fence for some parser. */
const MAYBE_FENCE = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]+)*(?:`{3}|~{3})/;

/** A line that opens or closes a fence for every parser. */
const SURE_FENCE = /^ {0,3}(`{3,}|~{3,})[\w+.#-]*[ \t]*$/;

/** More lists and quotes inside each other than anyone writes. */
const NESTED = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])(?=[ \t>])){20}/;

/** An item of a list, which ends the paragraph before it. */
const ITEM = /^ {0,3}[-+*] {1,3}\S/;

const TOO_LONG_RUN = new RegExp(`\`{${MAX_RUN}}|~{${MAX_RUN}}`);

/** Return whether rendering this Markdown would block the page for too long. */
export function takesTooLong(source: string): boolean {
  const lines = source.split(/\r\n?|\n/);
  const edges = lines.filter(line => MAYBE_FENCE.test(line));
  return (
    TOO_LONG_RUN.test(source) ||
    edges.length * source.length > MAX_FENCE_COST ||
    lines.some(
      line => NESTED.test(line) || inTicks(line) > MAX_PARAGRAPH_COST
    ) ||
    isDense(proseOf(lines, edges))
  );
}

/** Return the lines outside of code: all of them, unless parsers agree about every fence. */
function proseOf(lines: readonly string[], edges: readonly string[]): string[] {
  if (!edges.every(edge => SURE_FENCE.test(edge))) {
    return [...lines];
  }
  let open = '';
  return lines.map(line => {
    const fence = SURE_FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      open = open === '' ? fence : fence.startsWith(open) ? '' : open;
      return '';
    }
    return open === '' ? line : '';
  });
}

/** Return whether paragraphs have too many marks for their length. */
function isDense(lines: readonly string[]): boolean {
  let length = 0;
  let marks = 0;
  let all = 0;
  let most = 0;
  const close = () => {
    most = Math.max(most, length * marks);
    all += length * marks;
    length = 0;
    marks = 0;
  };
  for (const line of lines) {
    // Each row of a table and each item of a list counts as a paragraph.
    const isRow = line.trimStart().startsWith('|');
    if (isRow || ITEM.test(line) || line.trim() === '') {
      close();
    }
    length += line.length;
    marks += count(line, MARK);
    if (isRow) {
      close();
    }
  }
  close();
  return most > MAX_PARAGRAPH_COST || all > MAX_TEXT_COST;
}

/** Return the cost of finding inline code in a line; some parsers look for it in fences, too. */
function inTicks(line: string): number {
  return line.length * count(line, /`/g);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
