import type { JSONObject } from '@lumino/coreutils';

import { asAmount, asObjects, asText, isObject } from '../turn/model';

/** Items of a message that are listed. */
export const MAX_ITEMS = 50;

/** Something that a message has brought. */
export interface IBrought {
  readonly kind: 'text' | 'call' | 'rule' | 'picture';
  readonly name: string;
  /** Names the text or the picture where the kernel keeps it. */
  readonly digest?: string;
  /** Whether a message above has brought the same text, so that it was not sent again. */
  readonly isUnchanged: boolean;
}

const DIGEST = /^[0-9a-f]{64}$/;
const REMOTE = /^https?:\/\//i;

/** Return what the message of a turn has brought, as its context records it: JSON of any file. */
export function broughtBy(turn: unknown): IBrought[] {
  const context = isObject(turn) && isObject(turn.context) ? turn.context : {};
  const items = (
    kind: IBrought['kind'],
    entries: unknown,
    key: string
  ): IBrought[] =>
    asObjects(entries).flatMap(entry => {
      const name = asText(entry[key]);
      const digest = asText(entry.sha256);
      return name === undefined
        ? []
        : [
            {
              kind,
              name,
              digest: DIGEST.test(digest ?? '') ? digest : undefined,
              isUnchanged: entry.unchanged === true
            }
          ];
    });
  const pictures = items('picture', context.images, 'key');
  return [
    ...items('text', context.files, 'key'),
    ...items('call', context.tools, 'name'),
    ...items('rule', context.rules, 'name'),
    // Of the others, nothing was sent: a notice of the turn says why.
    ...pictures.filter(
      ({ digest, name }) => digest !== undefined || REMOTE.test(name)
    )
  ];
}

type Ask = (name: string, params: JSONObject) => Promise<JSONObject>;

/** Digests of one question, as many as the kernel takes. */
const AT_ONCE = 200;

/**
 * What the kernel knows about the texts and pictures that messages have brought.
 *
 * A digest names the same text for ever, so each is asked about once.
 */
export class BroughtFacts {
  /** @param ask - Asks the kernel, as soon as it can be asked. */
  constructor(ask: Ask) {
    this._ask = ask;
  }

  /** Return the estimated tokens of a text; null if the kernel does not keep it. */
  tokens(digest: string): Promise<number | null> {
    let count = this._tokens.get(digest);
    if (count === undefined) {
      count = this._sizeOf(digest);
      this._tokens.set(digest, count);
    }
    return count;
  }

  /** Return a picture as a `data:` URL of any kind; null if the kernel does not keep it. */
  picture(digest: string): Promise<string | null> {
    let url = this._pictures.get(digest);
    if (url === undefined) {
      url = this._ask('context.picture', { digest })
        .then(answer => asText(answer.url) ?? null)
        .catch(() => this._forget(this._pictures, digest));
      this._pictures.set(digest, url);
    }
    return url;
  }

  /** Ask about a text together with those that are asked about at the same time. */
  private async _sizeOf(digest: string): Promise<number | null> {
    this._wanted.push(digest);
    this._answer ??= Promise.resolve().then(() => this._askAll());
    try {
      return (await this._answer).get(digest) ?? null;
    } catch {
      return this._forget(this._tokens, digest);
    }
  }

  private async _askAll(): Promise<Map<string, number>> {
    const wanted = this._wanted;
    this._wanted = [];
    this._answer = null;
    const found = new Map<string, number>();
    for (let start = 0; start < wanted.length; start += AT_ONCE) {
      const digests = wanted.slice(start, start + AT_ONCE);
      const { tokens } = await this._ask('context.sizes', { digests });
      for (const [digest, count] of isObject(tokens)
        ? Object.entries(tokens)
        : []) {
        const amount = asAmount(count);
        if (amount !== undefined) {
          found.set(digest, amount);
        }
      }
    }
    return found;
  }

  /** Ask again when the row is drawn again: the kernel could not be reached. */
  private _forget(known: Map<string, unknown>, digest: string): null {
    known.delete(digest);
    return null;
  }

  private readonly _ask: Ask;
  private readonly _tokens = new Map<string, Promise<number | null>>();
  private readonly _pictures = new Map<string, Promise<string | null>>();
  private _wanted: string[] = [];
  private _answer: Promise<Map<string, number>> | null = null;
}
