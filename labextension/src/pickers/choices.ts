/** One line of a list. Its texts may come from any file. */
export interface IChoice {
  /** What is chosen; null for none. */
  readonly value: string | null;
  readonly label: string;
  /** Shown beside the label. */
  readonly detail?: string;
  readonly isCurrent?: boolean;
}

/** The lines of a list, and what is said above them. */
export interface IChoices {
  readonly choices: readonly IChoice[];
  readonly notes: readonly string[];
}

/** Return the lines in which all words of a search occur, best first. */
export function fitting(
  found: IChoices | null,
  text: string,
  other?: (text: string) => IChoice
): readonly IChoice[] {
  const searched = text.trim().toLowerCase();
  const choices = found?.choices ?? [];
  const parts = searched.split(/\s+/);
  const lines = choices.filter(({ label, detail }) => {
    const line = `${label} ${detail ?? ''}`.toLowerCase();
    return parts.every(part => line.includes(part));
  });
  const starts = (line: IChoice) =>
    line.label.toLowerCase().startsWith(searched) ? 0 : 1;
  const sorted =
    searched === '' ? lines : [...lines].sort((a, b) => starts(a) - starts(b));
  const isThere = choices.some(({ value }) => value === text.trim());
  return found === null || searched === '' || isThere || other === undefined
    ? sorted
    : [...sorted, other(text.trim())];
}

/** Return the index to which a key moves; null for a key that does not move. */
export function movedTo(
  key: string,
  index: number,
  length: number
): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(index + 1, length - 1);
    case 'ArrowUp':
      return Math.max(index - 1, 0);
    case 'PageDown':
      return Math.min(index + 10, length - 1);
    case 'PageUp':
      return Math.max(index - 10, 0);
    default:
      return null;
  }
}
