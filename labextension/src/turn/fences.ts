/** An open code fence. */
export interface IFence {
  /** The backticks or tildes that opened it. */
  readonly marker: string;
  /** Columns of white space before them. */
  readonly indent: number;
}

const FENCE = /^(`{3,}|~{3,})([\s\S]*)$/;

/**
 * Return the fence that is open after `line`, given the one that was open before it.
 *
 * It is a guess that does not parse lists. A fence in a list item ends with the item, so a line
 * with less indentation than the fence counts as outside.
 */
export function fenceAfter(line: string, open: IFence | null): IFence | null {
  const text = line.trim();
  const [, marker = '', info = ''] = FENCE.exec(text) ?? [];
  const indent = columns(line);
  if (open !== null) {
    if (
      info === '' &&
      marker.startsWith(open.marker) &&
      indent <= Math.max(3, open.indent)
    ) {
      return null;
    }
    if (text === '' || indent >= open.indent) {
      return open;
    }
  }
  const opens = marker !== '' && !(marker[0] === '`' && info.includes('`'));
  return opens ? { marker, indent } : null;
}

function columns(line: string): number {
  const space = /^[ \t]*/.exec(line)![0];
  return space.replaceAll('\t', '    ').length;
}
