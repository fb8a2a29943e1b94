import type { TranslationBundle } from '@jupyterlab/translation';

import { hardenLink } from '../safe/strictHtml';
import type { ISource, ISources } from '../turn/sources';
import { controlsVisible } from '../turn/text';
import { formatCount } from '../turn/wording';
import { element } from './dom';

/** The sources of a text, as links below it; nothing is loaded before a person follows one. */
export class SourceList {
  constructor(trans: TranslationBundle) {
    this._trans = trans;
    this.node.hidden = true;
  }

  readonly node = element('div', 'msgbook-Sources');

  /** Show the sources; equal ones are not touched, so that focus and selection stay. */
  show(shown: ISources): void {
    const key = JSON.stringify(shown);
    if (key === this._key) {
      return;
    }
    this._key = key;
    const { sources, further } = shown;
    this.node.hidden = sources.length === 0;
    const items = sources.map(source => element('li', '', sourceNode(source)));
    const label = element('div', '', this._trans.__('Sources:'));
    this.node.replaceChildren(label, element('ol', '', ...items));
    if (further > 0) {
      const more = this._trans.__('… and %1 more', formatCount(further));
      this.node.append(element('div', '', more));
    }
  }

  private readonly _trans: TranslationBundle;
  private _key = '';
}

function sourceNode({ title, url }: ISource): HTMLElement | string {
  const words = controlsVisible(title);
  if (url === null) {
    return words;
  }
  const link = element('a', '', words);
  link.href = url;
  // The title is the server's: where the link leads has to be seen, too.
  link.title = url;
  hardenLink(link);
  return link;
}
