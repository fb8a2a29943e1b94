import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import {
  hardenLink,
  isEmbeddedImage,
  isExternal,
  linkUrl
} from '../safe/strictHtml';
import { resultText } from '../rich/resultText';
import { agentRows } from '../turn/agentRows';
import {
  asAmount,
  asText,
  callOf,
  resultParts,
  type ResultPart
} from '../turn/model';
import { argumentsGist, controlsVisible } from '../turn/text';
import { formatDuration } from '../turn/wording';
import { AgentList } from './agentList';
import type { IBlockView, IViewTools } from './blockView';
import { Disclosure, element, GrowingText } from './dom';
import { jsonNode } from './jsonNode';

/** Create a view of a tool result, with the sub-agents that its call started. */
export function resultView(tools: IViewTools): IBlockView {
  const { trans } = tools;
  const agents = new AgentList(tools);
  const body = element('div', 'msgbook-Result-body');
  const disclosure = new Disclosure('msgbook-Result', body);
  const output = new GrowingText();
  const outputNode = element('pre', 'msgbook-Pre', output.node);
  return {
    widget: new Widget({
      node: element('div', '', agents.node, disclosure.node)
    }),
    update: (block, { blocks, streaming, asked }) => {
      const rows = agentRows(block, streaming, trans);
      agents.update(rows, asked);
      const found = callOf(blocks, block);
      const name = asText(found?.call.name);
      const duration = asAmount(block.duration);
      const running = streaming && block.status === undefined;
      const status = asText(block.status) ?? (running ? 'running' : 'success');
      const notes = [
        ...(status === 'success' ? [] : [statusWords(status, trans)]),
        ...(duration === undefined ? [] : [formatDuration(duration, trans)])
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
      disclosure.suggestOpen(running && rows.rows.length === 0);
      if (running) {
        if (outputNode.parentNode === null) {
          body.replaceChildren(outputNode);
        }
        output.show(controlsVisible(asText(block.content) ?? ''));
        outputNode.scrollTop = outputNode.scrollHeight;
        return;
      }
      const parts = resultParts(block.content);
      const show = (part: (part: ResultPart) => HTMLElement) =>
        body.replaceChildren(
          ...(parts.length > 0
            ? parts.map(part)
            : [element('div', 'msgbook-Empty', trans.__('(empty)'))])
        );
      // A closed result has its text alone, which is cheap and which the browser's search finds.
      show(part => plainPart(part, trans));
      disclosure.whenOpen(() => show(part => resultPart(part, trans)));
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
  return part.kind === 'text'
    ? resultText(part.text, trans)
    : plainPart(part, trans);
}

function plainPart(part: ResultPart, trans: TranslationBundle): HTMLElement {
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
