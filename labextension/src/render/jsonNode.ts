import { controlsVisible } from '../turn/text';
import { element } from './dom';

/** Return a node with any JSON as indented text. */
export function jsonNode(value: unknown): HTMLElement {
  const json = JSON.stringify(value, null, 2) ?? String(value);
  return element('pre', 'msgbook-Pre', controlsVisible(json));
}
