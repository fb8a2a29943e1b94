const MARKER = /^#+ %%(?:$|[ \t]|\[\^)/;

/** Return the lines, from 0, of the markers of cells in the text of a message file. */
export function cellLines(text: string): number[] {
  return text
    .split('\n')
    .flatMap((line, index) => (MARKER.test(line) ? [index] : []));
}

/** Return the position of the cell that a line belongs to; the first for what stands above all. */
export function cellAtLine(text: string, line: number): number {
  const above = cellLines(text).filter(marker => marker <= line).length;
  return Math.max(0, above - 1);
}
