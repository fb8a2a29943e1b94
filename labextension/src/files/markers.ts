const MARKER = /^#{1,5} %%(?:$|[ \t]|\[\^)/;

/** What a notebook says about the text that it was read from. */
export interface ITextLayout {
  /** Everything above the message section, with its heading; undefined without a section. */
  readonly document?: string;
  /** Whether the first cell is the text above the first marker. */
  readonly hasPreamble: boolean;
}

/** Return the line, from 0, at which each cell of a message file begins; none if it is unknown. */
export function cellLines(text: string, layout: ITextLayout): number[] {
  const first = firstLine(text, layout.document);
  if (first === null) {
    return [];
  }
  const markers = text
    .split('\n')
    .flatMap((line, index) =>
      index >= first && MARKER.test(line) ? [index] : []
    );
  return layout.hasPreamble ? [first, ...markers] : markers;
}

/** Return the position of the cell that a line belongs to; the first for what stands above all. */
export function cellAtLine(
  text: string,
  line: number,
  layout: ITextLayout
): number | undefined {
  const lines = cellLines(text, layout);
  const above = lines.filter(begin => begin <= line).length;
  return lines.length > 0 ? Math.max(0, above - 1) : undefined;
}

function firstLine(text: string, document = ''): number | null {
  const found = text.indexOf(document);
  return found < 0
    ? null
    : text.slice(0, found + document.length).split('\n').length - 1;
}
