import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import { asAmount, asText } from '../turn/model';
import { controlsVisible } from '../turn/text';
import { formatDuration } from '../turn/wording';
import type { IBlockView, IViewTools } from './blockView';
import { callView } from './callView';
import { Disclosure, element, GrowingText } from './dom';
import { jsonNode } from './jsonNode';
import { resultView } from './resultView';
import { TextView } from './textView';

/** Create a view for blocks of a type; unknown types are shown as JSON. */
export function createBlockView(type: string, tools: IViewTools): IBlockView {
  switch (type) {
    case 'text':
      return textView(tools);
    case 'reasoning':
      return reasoningView(tools.trans);
    case 'tool_call':
      return callView(tools);
    case 'tool_result':
      return resultView(tools);
    case 'notice':
      return noticeView(tools.trans);
    case 'error':
      return errorView(tools.trans);
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
  panel.addWidget(content);
  return {
    widget: panel,
    update: (block, { streaming }) => {
      if (block.refusal === true && panel.widgets.length === 1) {
        const label = element('div', 'msgbook-Refusal', trans.__('Refused'));
        panel.insertWidget(0, new Widget({ node: label }));
      }
      return content.showText(asText(block.text) ?? '', streaming);
    }
  };
}

function reasoningView(trans: TranslationBundle): IBlockView {
  const content = new GrowingText();
  const body = element('div', 'msgbook-Reasoning-text', content.node);
  const disclosure = new Disclosure('msgbook-Reasoning', body);
  return {
    widget: new Widget({ node: disclosure.node }),
    update: (block, { streaming }) => {
      const duration = asAmount(block.duration);
      const thinking = streaming && duration === undefined;
      disclosure.label(
        `💭 ${trans.__('Thinking Process')}`,
        duration === undefined ? '' : formatDuration(duration)
      );
      content.show(asText(block.text) ?? '');
      disclosure.suggestOpen(thinking);
      disclosure.node.classList.toggle('msgbook-mod-streaming', thinking);
    }
  };
}

function noticeView(trans: TranslationBundle): IBlockView {
  const node = element('div', 'msgbook-Notice');
  return {
    widget: new Widget({ node }),
    update: block => {
      const warning = block.level === 'warning';
      node.classList.toggle('msgbook-mod-warning', warning);
      node.setAttribute('role', 'note');
      node.setAttribute(
        'aria-label',
        warning ? trans.__('Warning') : trans.__('Note')
      );
      node.textContent = controlsVisible(asText(block.text) ?? '');
    }
  };
}

function errorView(trans: TranslationBundle): IBlockView {
  const node = element('div', 'msgbook-Error');
  return {
    widget: new Widget({ node }),
    update: block => {
      const name = controlsVisible(asText(block.name) ?? trans.__('Error'));
      const message = controlsVisible(asText(block.message) ?? '');
      node.replaceChildren(
        element('strong', 'msgbook-Error-name', name),
        message === '' ? '' : `: ${message}`
      );
    }
  };
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
      body.replaceChildren(jsonNode(block));
    }
  };
}
