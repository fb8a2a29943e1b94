import { element, setText } from './dom';

/** Shortest time between two announcements, in milliseconds. */
export const PAUSE = 3000;

/** A line that is read out and not seen. */
export class Announcer {
  constructor() {
    this.node.setAttribute('role', 'status');
    this.node.setAttribute('aria-live', 'polite');
  }

  readonly node = element('span', 'msgbook-Header-said');

  /**
   * Announce words, unless they are those of the last announcement or it was made a moment ago.
   *
   * @param now - Milliseconds since the epoch.
   */
  say(words: string, now: number): void {
    if (now - this._at >= PAUSE && this.node.textContent !== words) {
      this.sayNow(words, now);
    }
  }

  /** Announce words at once. */
  sayNow(words: string, now: number): void {
    this._at = now;
    setText(this.node, words);
  }

  private _at = -Infinity;
}
