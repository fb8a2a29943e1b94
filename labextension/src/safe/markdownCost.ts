/*
 * JupyterLab's Markdown takes the square, or more, of the length of some texts: of a paragraph with
 * thousands of marks that open and never close, of long runs of backticks, of fences that nothing
 * closes. While it does, the page stands still, and nothing can stop it. So what it would take is
 * estimated before, in linear time, from above; the limits are for about half a second.
 */

/** What begins something that has to be looked for to the end of its paragraph. */
const MARK = /[*_~`[]/g;

/** Characters of a paragraph, times its marks. */
const MOST_OF_ONE = 5e6;

/** The same, of all paragraphs. */
const MOST_OF_ALL = 5e7;

/** Fences, times the characters of the text: each may be looked for to its end. */
const MOST_OF_FENCES = 1e8;

/** Backticks or tildes in a row. */
const LONGEST_RUN = 64;

/** A line that is, or may be, the edge of a fence to some parser. */
const MAYBE_FENCE = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]+)*(?:`{3}|~{3})/;

/** A line that is the edge of a fence to every parser. */
const SURE_FENCE = /^ {0,3}(`{3,}|~{3,})[\w+.#-]*[ \t]*$/;

/** Lists and quotes in each other, more of them than anyone means. */
const NESTED = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])(?=[ \t>])){20}/;

/** A line that ends the paragraph before it, as an item of a list. */
const ITEM = /^ {0,3}[-+*] {1,3}\S/;

const TOO_LONG_RUN = new RegExp(`\`{${LONGEST_RUN}}|~{${LONGEST_RUN}}`);

/** Whether the page would stand still for long while it makes HTML of this Markdown. */
export function takesTooLong(source: string): boolean {
  const lines = source.split(/\r\n?|\n/);
  const edges = lines.filter(line => MAYBE_FENCE.test(line));
  return (
    TOO_LONG_RUN.test(source) ||
    edges.length * source.length > MOST_OF_FENCES ||
    lines.some(line => NESTED.test(line) || inTicks(line) > MOST_OF_ONE) ||
    isDense(proseOf(lines, edges))
  );
}

/**
 * The lines outside code, with an empty one in place of code.
 *
 * Where a fence is not one to all parsers, any line may be prose.
 */
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

/** Whether paragraphs have too many marks for their length. */
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
    // The rows of a table are paragraphs of their own, as are items of a list.
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
  return most > MOST_OF_ONE || all > MOST_OF_ALL;
}

/** What it takes to look for code in a line, in fences as well: formulas are looked for first. */
function inTicks(line: string): number {
  return line.length * count(line, /`/g);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
