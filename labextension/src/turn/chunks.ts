/** A text that still grows, cut into what will not change and what may. */
export interface IChunks {
  /** Markdown pieces that stand on their own; a longer text begins with the same ones. */
  readonly committed: string[];
  /** The rest; all of it and the committed pieces, joined, are the text. */
  readonly tail: string;
}

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;

/**
 * Cut streaming Markdown at blank lines outside code fences and `$$` formulas.
 *
 * A cut is made when the line after the blank one has begun without indentation, so that the
 * paragraphs of a list item stay together. What depends on a later piece (reference links, the
 * tightness of a list) comes out right when the finished text is rendered whole.
 */
export function splitChunks(text: string): IChunks {
  const committed: string[] = [];
  let start = 0;
  let fence: string | null = null;
  let inMath = false;
  let afterBlank = false;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end === -1 ? text.length : end);
    if (afterBlank && /^\S/.test(line)) {
      committed.push(text.slice(start, at));
      start = at;
    }
    if (end === -1) {
      break;
    }
    if (fence !== null) {
      fence = closes(line, fence) ? null : fence;
    } else if (inMath) {
      inMath = !oddMath(line);
    } else {
      fence = opens(line);
      inMath = fence === null && oddMath(line);
    }
    afterBlank =
      fence === null && !inMath && (line.trim() === '' ? at > start : false);
    at = end + 1;
  }
  return { committed, tail: text.slice(start) };
}

/** The marker of the fence that `line` opens, null if none. */
function opens(line: string): string | null {
  const match = FENCE.exec(line);
  if (match === null || (match[1][0] === '`' && match[2].includes('`'))) {
    return null;
  }
  return match[1];
}

function closes(line: string, fence: string): boolean {
  const match = FENCE.exec(line);
  return match !== null && match[1].startsWith(fence) && match[2].trim() === '';
}

/** Whether a `$$` formula that begins or ends in `line` is left open by it. */
function oddMath(line: string): boolean {
  const prose = line.replace(/`[^`]*`/g, '');
  return (prose.split('$$').length - 1) % 2 === 1;
}
