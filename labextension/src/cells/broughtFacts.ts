import type { JSONObject } from '@lumino/coreutils';

import { asAmount, asText, isObject } from '../turn/model';

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
