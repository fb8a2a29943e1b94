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
