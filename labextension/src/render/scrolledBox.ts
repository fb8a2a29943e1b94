import type { TranslationBundle } from '@jupyterlab/translation';

import { button, element, setText } from './dom';

let made = 0;

/**
 * A box that scrolls, with a line below it that says how many lines are out of sight.
 *
 * That line is a button that shows all of them. The style sheet hides it where there is no
 * question.
 */
export class ScrolledBox {
  constructor(
    private readonly _box: HTMLElement,
    private readonly _trans: TranslationBundle
  ) {
    made += 1;
    this.more.id = `msgbook-more-${made}`;
    this._box.setAttribute('aria-describedby', this.more.id);
    this._box.addEventListener('scroll', () => this.update());
    this.node = element('div', 'msgbook-Scrolled', this._box);
    // The number of lines that fit is known only after layout.
    if (typeof ResizeObserver !== 'undefined') {
      new ResizeObserver(() => this.update()).observe(this._box);
    }
    this.update();
  }

  readonly node: HTMLElement;
  /** The line; present only while lines are out of sight. */
  readonly more = button('msgbook-More', '', () => {
    this._box.classList.add('msgbook-mod-whole');
    this.update();
    this._box.focus({ preventScroll: true });
  });

  /** Show how many lines are out of sight below. */
  update(): void {
    const box = this._box;
    const scrolled = box.scrollHeight - box.clientHeight;
    // A stop of the Tab key only if there is something to scroll.
    box.tabIndex = scrolled > 1 ? 0 : -1;
    const hidden = scrolled - box.scrollTop;
    const height = parseFloat(getComputedStyle(box).lineHeight) || 16;
    const lines = hidden > 1 ? Math.max(1, Math.round(hidden / height)) : 0;
    if (lines === 0) {
      this.more.remove();
      return;
    }
    const words = this._trans._n(
      '%1 more line below: show all',
      '%1 more lines below: show all',
      lines
    );
    setText(this.more, `↓ ${words}`);
    this.node.append(this.more);
  }
}
