import type { TranslationBundle } from '@jupyterlab/translation';

import { shownJson } from '../turn/shownJson';
import { controlsVisible } from '../turn/text';
import { element } from './dom';

/** Return a node with JSON of unknown size, shortened; the rules are those of `shownJson`. */
export function shortJsonNode(
  value: unknown,
  trans: TranslationBundle
): HTMLElement {
  return jsonNode(shownJson(value, trans));
}

/** Return a node with any JSON as indented text. */
export function jsonNode(value: unknown): HTMLElement {
  const json = JSON.stringify(value, null, 2) ?? String(value);
  return element('pre', 'msgbook-Pre', controlsVisible(json));
}
