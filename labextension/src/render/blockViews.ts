import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';
import { displayView } from '../rich/displayView';
import {
  DISPLAYS,
  ERRORS,
  type IKind,
  kindOf,
  NOTICES,
  REASONINGS,
  TEXTS,
  TOOL_CALLS,
  TOOL_RESULTS
} from '../turn/kinds';
import { asAmount, asText, isObject } from '../turn/reading';
import {
  type ISource,
  type ISources,
  pagesOf,
  shownSources
} from '../turn/shownFacts';
import { controlsVisible } from '../turn/text';
import {
  actionButton,
  Disclosure,
  element,
  GrowingText,
  setText,
  withCodeSpans
} from './dom';
import type { Act, IBlockView, IViewTools } from './host';
import { CallView } from './callView';
import { shortJsonNode } from '../turn/shownJson';
import { ResultView } from './resultView';
import { TextView } from './textView';
import { hardenLink } from '../safe/strictHtml';
import { formatCount, formatDuration } from '../turn/wording';
import { failureOf, type Remedy } from '../turn/failures';

/** Create a view for blocks of a type; unknown types are shown as JSON. */
export function createBlockView(type: string, tools: IViewTools): IBlockView {
  const create = VIEWS.get(kindOf({ type })) ?? unknownView;
  return create(tools);
}

/** Creates the view of a block of each kind. */
export const VIEWS: ReadonlyMap<IKind, (tools: IViewTools) => IBlockView> =
  new Map<IKind, (tools: IViewTools) => IBlockView>([
    [TEXTS, textView],
    [REASONINGS, reasoningView],
    [TOOL_CALLS, tools => new CallView(tools)],
    [TOOL_RESULTS, tools => new ResultView(tools)],
    [DISPLAYS, displayView],
    [NOTICES, noticeView],
    [ERRORS, errorView]
  ]);

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
        const item = isObject(block.extra) ? block.extra.item : undefined;
        const pages = isObject(item) ? pagesOf(item) : [];
        words.replaceChildren(
          ...(pages.length > 0 ? withLinks(text, pages) : withCodeSpans(text))
        );
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

function unknownView({ trans }: IViewTools): IBlockView {
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

/** The sources of a text, as links below it; nothing is loaded before a person follows one. */
export class SourceList {
  constructor(private readonly _trans: TranslationBundle) {
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

  private _key = '';
}

function sourceNode({ title, url }: ISource): HTMLElement | string {
  const words = controlsVisible(title);
  if (url === null) {
    return words;
  }
  return linkTo(url, words);
}

function linkTo(url: string, words: string): HTMLElement {
  const link = element('a', '', words);
  link.href = url;
  // The title is the server's: where the link leads has to be seen, too.
  link.title = url;
  hardenLink(link);
  return link;
}

/** Return `text` as nodes: each of the addresses in it is a link. */
function withLinks(
  text: string,
  urls: readonly string[]
): (HTMLElement | string)[] {
  // The longest first: one may be the beginning of another.
  const known = Array.from(new Set(urls)).sort((a, b) => b.length - a.length);
  const escaped = known.map(url => url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text
    .split(new RegExp(`(${escaped.join('|')})`))
    .map((part, i) => (i % 2 === 1 ? linkTo(part, part) : part));
}

/** Create a view of reasoning: its text, or one line where the server keeps it to itself. */
function reasoningView({ trans }: Pick<IViewTools, 'trans'>): IBlockView {
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

/** Return a view of an error: what happened, what the server said, and what a person can do. */
export function errorView({
  trans,
  act,
  connectModel
}: Pick<IViewTools, 'trans' | 'act' | 'connectModel'>): IBlockView {
  const node = element('div', 'msgbook-Error');
  let shown = '';
  return {
    widget: new Widget({ node }),
    update: block => {
      const name = controlsVisible(asText(block.name) ?? trans.__('Error'));
      const message = controlsVisible(asText(block.message) ?? '');
      if (shown === `${name}\n${message}`) {
        return;
      }
      // A button that has the focus stays.
      shown = `${name}\n${message}`;
      const { words, remedies } = failureOf(name, trans);
      const said = element(
        'div',
        'msgbook-Error-said',
        element('strong', 'msgbook-Error-name', name),
        message === '' ? '' : `: ${message}`
      );
      const buttons = remedies
        .map(remedy => remedyButton(remedy, trans, act, connectModel))
        .filter(button => button !== null);
      node.replaceChildren(
        ...(words === '' ? [] : [element('div', 'msgbook-Error-words', words)]),
        said,
        ...(buttons.length === 0
          ? []
          : [element('div', 'msgbook-Error-remedies', ...buttons)])
      );
    }
  };
}

function remedyButton(
  remedy: Remedy,
  trans: TranslationBundle,
  act: Act | null,
  connectModel: (() => void) | undefined
): HTMLButtonElement | null {
  if (remedy === 'connect') {
    const label = trans.__('Connect a Model…');
    return connectModel === undefined
      ? null
      : actionButton(label, label, () => Promise.resolve(connectModel()));
  }
  if (act === null) {
    return null;
  }
  const [label, title] =
    remedy === 'again'
      ? [trans.__('Try again'), trans.__('Send this message again')]
      : [
          trans.__('Choose another model'),
          trans.__('Choose the model, and send this message again')
        ];
  const button: HTMLButtonElement = actionButton(label, label, () =>
    act(
      remedy === 'again' ? { kind: 'again' } : { kind: 'model', anchor: button }
    )
  );
  button.title = title;
  if (remedy === 'model') {
    button.setAttribute('aria-haspopup', 'dialog');
  }
  return button;
}
