import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { asAmount, asText } from '../turn/model';
import { formatDuration } from '../turn/wording';
import type { IBlockView } from './blockView';
import { Disclosure, element, GrowingText, setText } from './dom';

/** Create a view of reasoning: its text, or one line where the server keeps it to itself. */
export function reasoningView(trans: TranslationBundle): IBlockView {
  const content = new GrowingText();
  const body = element('div', 'msgbook-Reasoning-text', content.node);
  const disclosure = new Disclosure('msgbook-Reasoning', body);
  const line = element('div', 'msgbook-Reasoning-hidden');
  const node = element('div', '');
  return {
    widget: new Widget({ node }),
    update: (block, { streaming, hidden }) => {
      const text = asText(block.text) ?? '';
      const duration = asAmount(block.duration);
      const thinking = streaming && duration === undefined;
      disclosure.label(
        trans.__('Thinking Process'),
        duration === undefined ? '' : formatDuration(duration, trans)
      );
      content.show(text);
      disclosure.suggestOpen(thinking);
      disclosure.node.classList.toggle('msgbook-mod-streaming', thinking);
      setText(line, hidden ?? '');
      showOnly(node, shownOf(text, thinking, hidden !== undefined));
    }
  };

  function shownOf(
    text: string,
    thinking: boolean,
    isHidden: boolean
  ): HTMLElement | null {
    if (isHidden) {
      return line;
    }
    return thinking || text.trim() !== '' ? disclosure.node : null;
  }
}

/** Make `child` the only child of a node; null for none. A child that is there stays as it is. */
function showOnly(node: HTMLElement, child: HTMLElement | null): void {
  if (node.firstChild !== child) {
    node.replaceChildren(...(child === null ? [] : [child]));
  }
}
