import { fenceAfter, type IFence } from './fences';

/** A text that still grows, cut into what will not change and what may. */
export interface IChunks {
  /** Markdown pieces that stand on their own; a longer text begins with the same ones. */
  readonly committed: string[];
  /** The rest; all of it and the committed pieces, joined, are the text. */
  readonly tail: string;
}

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
  let fence: IFence | null = null;
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
    if (inMath) {
      inMath = !oddMath(line);
    } else {
      const before: IFence | null = fence;
      fence = fenceAfter(line, before);
      inMath = before === null && fence === null && oddMath(line);
    }
    afterBlank =
      fence === null && !inMath && (line.trim() === '' ? at > start : false);
    at = end + 1;
  }
  return { committed, tail: text.slice(start) };
}

/** Whether a `$$` formula that begins or ends in `line` is left open by it. */
function oddMath(line: string): boolean {
  const prose = line.replace(/`[^`]*`/g, '');
  return (prose.split('$$').length - 1) % 2 === 1;
}
