import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setText } from '../render/dom';
import { controlsVisible } from '../turn/text';
import { jsonTree, treeOfText } from './jsonTree';
import { isLong, LongText } from './longText';

/**
 * Return the text of a result as a person reads it: JSON as a tree, with a button that shows the
 * text; a long text folded, with a search field; a short one as it is.
 */
export function resultText(
  text: string,
  trans: TranslationBundle
): HTMLElement {
  const value = treeOfText(text);
  if (value === undefined) {
    return plainText(text, trans);
  }
  const tree = jsonTree(value, left => trans.__('%1 more', left));
  const toggle = element('button', 'msgbook-Rich-button');
  toggle.type = 'button';
  const node = element('div', 'msgbook-JsonResult', toggle, tree);
  let isTree = true;
  const show = () => {
    setText(
      toggle,
      isTree ? trans.__('Show as text') : trans.__('Show as tree')
    );
    node.replaceChildren(toggle, isTree ? tree : plainText(text, trans));
  };
  toggle.addEventListener('click', () => {
    isTree = !isTree;
    show();
    toggle.focus();
  });
  show();
  return node;
}

function plainText(text: string, trans: TranslationBundle): HTMLElement {
  const shown = controlsVisible(text);
  return isLong(text)
    ? new LongText(shown, trans).node
    : element('pre', 'msgbook-Pre', shown);
}
