import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import { displayView } from '../rich/displayView';
import { asAmount, asText, isObject } from '../turn/model';
import { shownSources } from '../turn/sources';
import { controlsVisible } from '../turn/text';
import { actionButton } from './actionButton';
import type { IBlockView, IViewTools } from './blockView';
import { CallView } from './callView';
import { Disclosure, element, withCodeSpans } from './dom';
import { errorView } from './errorView';
import type { Act } from './host';
import { shortJsonNode } from './jsonNode';
import { reasoningView } from './reasoningView';
import { ResultView } from './resultView';
import { SourceList } from './sourceList';
import { TextView } from './textView';

/** Create a view for blocks of a type; unknown types are shown as JSON. */
export function createBlockView(type: string, tools: IViewTools): IBlockView {
  switch (type) {
    case 'text':
      return textView(tools);
    case 'reasoning':
      return reasoningView(tools.trans);
    case 'tool_call':
      return new CallView(tools);
    case 'tool_result':
      return new ResultView(tools);
    case 'display':
      return displayView(tools);
    case 'notice':
      return noticeView(tools);
    case 'error':
      return errorView(tools);
    default:
      return unknownView(tools.trans);
  }
}

function textView({ markdown, trans }: IViewTools): IBlockView {
  const panel = new Panel();
  const content = new TextView(
    markdown,
    trans.__('Shown as plain text: rendering it would block the page.')
  );
  const sources = new SourceList(trans);
  panel.addWidget(content);
  panel.addWidget(new Widget({ node: sources.node }));
  return {
    widget: panel,
    update: (block, { streaming }) => {
      if (block.refusal === true && panel.widgets[0] === content) {
        const label = element('div', 'msgbook-Refusal', trans.__('Refused'));
        panel.insertWidget(0, new Widget({ node: label }));
      }
      sources.show(shownSources(block));
      return content.showText(asText(block.text) ?? '', streaming);
    }
  };
}

function noticeView({ trans, act }: IViewTools): IBlockView {
  const words = element('span', '');
  let shown: string | undefined;
  const node = element('div', 'msgbook-Notice', words);
  const body = element('div', 'msgbook-Result-body');
  const item = new Disclosure('msgbook-Unknown', body);
  const now = act && retryButton(trans, act);
  return {
    widget: new Widget({ node }),
    update: (block, { streaming }) => {
      if (now && streaming && asAmount(block.retry_in) !== undefined) {
        node.append(now);
      } else {
        now?.remove();
      }
      const warning = block.level === 'warning';
      node.classList.toggle('msgbook-mod-warning', warning);
      node.setAttribute('role', 'note');
      node.setAttribute(
        'aria-label',
        warning ? trans.__('Warning') : trans.__('Note')
      );
      const text = controlsVisible(asText(block.text) ?? '');
      if (text !== shown) {
        words.replaceChildren(...withCodeSpans(text));
        shown = text;
      }
      item.node.remove();
      if (isObject(block.extra) && isObject(block.extra.item)) {
        item.label(trans.__('Its data'));
        body.replaceChildren(shortJsonNode(block.extra.item, trans));
        node.append(item.node);
      }
    }
  };
}

function retryButton(trans: TranslationBundle, act: Act): HTMLButtonElement {
  const name = trans.__('Ask the server again now');
  return actionButton(trans.__('Now'), name, () => act({ kind: 'retry' }));
}

function unknownView(trans: TranslationBundle): IBlockView {
  const body = element('div', 'msgbook-Result-body');
  const disclosure = new Disclosure('msgbook-Unknown', body);
  return {
    widget: new Widget({ node: disclosure.node }),
    update: block => {
      disclosure.label(
        trans.__('Block of unknown type: %1', controlsVisible(block.type))
      );
      body.replaceChildren(shortJsonNode(block, trans));
    }
  };
}
