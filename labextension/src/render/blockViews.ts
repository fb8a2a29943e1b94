import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import {
  hardenLink,
  isEmbeddedImage,
  isExternal,
  linkUrl
} from '../safe/strictHtml';
import {
  asAmount,
  callOf,
  resultParts,
  asText,
  type ResultPart
} from '../turn/model';
import { argumentsGist, controlsVisible } from '../turn/text';
import { formatDuration } from '../turn/wording';
import type { IBlockView, IViewTools } from './blockView';
import { callView } from './callView';
import { Disclosure, element, GrowingText } from './dom';
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
      return resultView(tools.trans);
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

function resultView(trans: TranslationBundle): IBlockView {
  const body = element('div', 'msgbook-Result-body');
  const disclosure = new Disclosure('msgbook-Result', body);
  const output = new GrowingText();
  const outputNode = element('pre', 'msgbook-Pre', output.node);
  return {
    widget: new Widget({ node: disclosure.node }),
    update: (block, { blocks, streaming }) => {
      const found = callOf(blocks, block);
      const name = asText(found?.call.name);
      const duration = asAmount(block.duration);
      const running = streaming && block.status === undefined;
      const status = asText(block.status) ?? (running ? 'running' : 'success');
      const notes = [
        ...(status === 'success' ? [] : [statusWords(status, trans)]),
        ...(duration === undefined ? [] : [formatDuration(duration)])
      ];
      disclosure.label(
        name === undefined
          ? `📝 ${trans.__('Result')}`
          : `📝 ${trans.__('Result: %1', controlsVisible(name))}`,
        notes.join(' · ')
      );
      // A result directly below its call needs no second line of arguments.
      disclosure.gist(
        found?.apart ? argumentsGist(asText(found.call.arguments) ?? '') : ''
      );
      const { classList } = disclosure.node;
      classList.toggle('msgbook-mod-error', status === 'error');
      classList.toggle(
        'msgbook-mod-denied',
        status === 'denied' || status === 'interrupted'
      );
      classList.toggle('msgbook-mod-streaming', running);
      disclosure.suggestOpen(running);
      if (running) {
        if (outputNode.parentNode === null) {
          body.replaceChildren(outputNode);
        }
        output.show(controlsVisible(asText(block.content) ?? ''));
        outputNode.scrollTop = outputNode.scrollHeight;
        return;
      }
      const parts = resultParts(block.content).map(p => resultPart(p, trans));
      body.replaceChildren(
        ...(parts.length > 0
          ? parts
          : [element('div', 'msgbook-Empty', trans.__('(empty)'))])
      );
    }
  };
}

function statusWords(status: string, trans: TranslationBundle): string {
  switch (status) {
    case 'running':
      return trans.__('running');
    case 'error':
      return trans.__('failed');
    case 'denied':
      return trans.__('denied');
    case 'interrupted':
      return trans.__('interrupted');
    default:
      return controlsVisible(status);
  }
}

function resultPart(part: ResultPart, trans: TranslationBundle): HTMLElement {
  switch (part.kind) {
    case 'text':
      return element('pre', 'msgbook-Pre', controlsVisible(part.text));
    case 'image': {
      if (!isEmbeddedImage(part.url)) {
        return imageLink(part.url);
      }
      const image = element('img', 'msgbook-Image');
      image.alt = trans.__('Image from the tool');
      image.src = part.url;
      return image;
    }
    case 'other':
      return jsonNode(part.json);
  }
}

/** Return a link to an image: loading it would tell its server about this reader. */
function imageLink(url: string): HTMLElement {
  const shown = controlsVisible(url);
  const followed = linkUrl(url);
  if (followed === null || !isExternal(followed)) {
    return element('pre', 'msgbook-Pre', shown);
  }
  const link = element('a', '', `🖼 ${shown}`);
  link.href = followed;
  hardenLink(link);
  return element('div', 'msgbook-Result-link', link);
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

/** Return a node with any JSON as indented text. */
export function jsonNode(value: unknown): HTMLElement {
  const json = JSON.stringify(value, null, 2) ?? String(value);
  return element('pre', 'msgbook-Pre', controlsVisible(json));
}
