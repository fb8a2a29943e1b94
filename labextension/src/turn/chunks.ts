import { fenceAfter, type IFence } from './fences';

/** A growing text, cut into pieces that will not change and a tail that may. */
export interface IChunks {
  /** Markdown pieces that can be rendered alone; a longer text begins with the same ones. */
  readonly committed: string[];
  /** The rest of the text. */
  readonly tail: string;
}

/**
 * Cut streaming Markdown at blank lines outside of code fences and `$$` formulas.
 *
 * A cut is made only if the next line has begun without indentation, so that the paragraphs of a
 * list item stay together. Reference links and the spacing of lists, which depend on later pieces,
 * come out right when the finished text is rendered whole.
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

/** Return whether `line` opens or closes a `$$` formula that spans lines. */
function oddMath(line: string): boolean {
  const prose = line.replace(/`[^`]*`/g, '');
  return (prose.split('$$').length - 1) % 2 === 1;
}
