/** Kind of a line of a unified diff. */
export type DiffKind = 'file' | 'hunk' | 'added' | 'removed' | 'same';

/** Neighbouring lines of one kind, with their line ends. */
export interface IDiffLines {
  readonly kind: DiffKind;
  readonly text: string;
}

/** Return the lines of a unified diff, grouped by kind; joined, they are the diff. */
export function diffLines(diff: string): IDiffLines[] {
  const groups: { kind: DiffKind; text: string }[] = [];
  let inHead = true;
  for (const line of diff.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    inHead &&= !line.startsWith('@@');
    const kind = inHead ? 'file' : lineKind(line);
    const last = groups.at(-1);
    if (last?.kind === kind) {
      last.text += line;
    } else {
      groups.push({ kind, text: line });
    }
  }
  return groups;
}

/** A row of a diff that shows the text before and after side by side. */
export interface IDiffRow {
  readonly kind: 'file' | 'hunk' | 'changed' | 'same';
  /** Lines before the change, each with its sign; empty beside lines that are new. */
  readonly before: string;
  readonly after: string;
}

/** Return the rows of a unified diff; a row of the kinds `file` and `hunk` has its text in both. */
export function diffRows(diff: string): IDiffRow[] {
  const rows: IDiffRow[] = [];
  const groups = diffLines(diff);
  for (let index = 0; index < groups.length; index++) {
    const { kind, text } = groups[index];
    const next = groups[index + 1];
    if (kind === 'removed' && next?.kind === 'added') {
      rows.push({ kind: 'changed', before: text, after: next.text });
      index += 1;
    } else if (kind === 'removed') {
      rows.push({ kind: 'changed', before: text, after: '' });
    } else if (kind === 'added') {
      rows.push({ kind: 'changed', before: '', after: text });
    } else {
      rows.push({ kind, before: text, after: text });
    }
  }
  return rows;
}

function lineKind(line: string): DiffKind {
  switch (line[0]) {
    case '@':
      return 'hunk';
    case '+':
      return 'added';
    case '-':
      return 'removed';
    default:
      return 'same';
  }
}
