import type { IBlock } from './model';

/** Length of a token in characters, as an average of English text and code. */
const CHARACTERS = 4;

/** Time over which the rate is measured, and the shortest that gives one, in milliseconds. */
const WINDOW = 5000;
const SHORTEST = 1000;

/** Time between two measurements, in milliseconds. */
const INTERVAL = 250;

/** An estimate of how fast a model answers, from the characters that have arrived. */
export class Rate {
  /** Note the characters that have arrived at a time in milliseconds. */
  note(characters: number, now: number): void {
    const last = this._seen.at(-1);
    if (last !== undefined && characters < last.characters) {
      this._seen.length = 0;
    } else if (last !== undefined && now - last.at < INTERVAL) {
      return;
    }
    this._seen.push({ at: now, characters });
    while (this._seen.length > 2 && now - this._seen[1].at > WINDOW) {
      this._seen.shift();
    }
  }

  /** Tokens a second; null as long as nothing arrives. */
  get perSecond(): number | null {
    const [first] = this._seen;
    const last = this._seen.at(-1);
    const time = last === undefined ? 0 : last.at - first.at;
    if (last === undefined || time < SHORTEST) {
      return null;
    }
    const tokens = (last.characters - first.characters) / CHARACTERS;
    return tokens > 0 ? (1000 * tokens) / time : null;
  }

  private readonly _seen: { at: number; characters: number }[] = [];
}

/** Return the number of characters that the model of a turn has written. */
export function writtenCharacters(blocks: readonly IBlock[]): number {
  let sum = 0;
  for (const { type, text, arguments: json } of blocks) {
    if (type === 'text' || type === 'reasoning') {
      sum += typeof text === 'string' ? text.length : 0;
    } else if (type === 'tool_call') {
      sum += typeof json === 'string' ? json.length : 0;
    }
  }
  return sum;
}
