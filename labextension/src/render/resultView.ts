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
  argumentsOf,
  callOf,
  type IBlock,
  type ResultPart,
  resultParts
} from '../turn/model';
import { asAmount, asText, isObject } from '../turn/reading';
import { tasksOf } from '../turn/shownFacts';
import {
  argumentsGist,
  controlsVisible,
  indentJson,
  visible
} from '../turn/text';
import { formatDuration, statusWords } from '../turn/wording';
import { AgentList } from './agentList';
import type { IBlockContext, IBlockView, IViewTools } from './host';
import { approvalWords } from './callView';
import { Disclosure, element, GrowingText } from './dom';
import { jsonNode } from '../turn/shownJson';

/** Characters of a result that the line of its step quotes. */
const SHORT = 60;

/** Characters of an argument there. */
const LONG = 90;

/** Characters of arguments that are looked at for that. */
const START = 4 * LONG;

/**
 * The first member of an object whose value is a string, with escapes as JSON has them and no others:
 * its text, and what ends it, a quote or the end of what is looked at, maybe amid an escape.
 */
const FIRST_TEXT =
  // eslint-disable-next-line no-control-regex
  /^\s*\{\s*"[^"\\]*"\s*:\s*"((?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)("|(?:\\(?:u[0-9a-fA-F]{0,3})?)?$)/;

/** View of a tool result, with the sub-agents that its call started. */
export class ResultView implements IBlockView {
  constructor(tools: IViewTools) {
    this._trans = tools.trans;
    this._agents = new AgentList(tools);
    this.widget = new Widget({
      node: element('div', '', this._agents.node, this._disclosure.node)
    });
    this.widget.disposed.connect(() => this._agents.dispose());
  }

  readonly widget: Widget;

  update(
    block: IBlock,
    { blocks, streaming, asked }: Omit<IBlockContext, 'question' | 'hidden'>
  ): void {
    const rows = agentRows(block, streaming, this._trans);
    const found = callOf(blocks, block);
    const json = argumentsOf(found?.call);
    const running = streaming && block.status === undefined;
    const status = asText(block.status) ?? (running ? 'running' : 'success');
    if (rows.rows.length > 0 && json !== this._json) {
      this._json = json;
      this._tasks = tasksOf(json);
    }
    this._agents.update(rows, asked, this._tasks);
    const call = found && isStep(blocks, block, found.call) ? found.call : null;
    this._step = running ? null : call;
    if (this._step === null) {
      this._label(asText(found?.call.name), status, asAmount(block.duration));
    } else {
      this._labelStep(this._step, block, status);
    }
    // A result directly below its call needs no second line of arguments.
    this._disclosure.gist(found?.apart ? argumentsGist(json) : '');
    this._mark(status, running);
    this._takeFocus();
    // A report is what its reader came for.
    const isReport = this._step !== null && reportOf(this._step) !== null;
    this._disclosure.suggestOpen(
      isReport || (running && rows.rows.length === 0)
    );
    if (running) {
      this._showOutput(asText(block.content) ?? '');
    } else {
      this._showParts(resultParts(block.content));
    }
  }

  /** Say in one line what was called and what came of it; the line of the call is hidden. */
  private _labelStep(call: IBlock, block: IBlock, status: string): void {
    const trans = this._trans;
    const duration = asAmount(block.duration);
    const notes = [
      status === 'success'
        ? `→ ${resultGist(resultParts(block.content), trans)}`
        : statusWords(status, trans),
      duration === undefined ? '' : formatDuration(duration, trans),
      approvalWords(call.approval, trans)
    ];
    const name = controlsVisible(asText(call.name) ?? '?');
    const about = mainArgument(asText(call.arguments) ?? '');
    this._disclosure.label(
      `${name} ${about}`.trim(),
      notes.filter(Boolean).join(' · ')
    );
  }

  private _label(
    name: string | undefined,
    status: string,
    duration: number | undefined
  ): void {
    const trans = this._trans;
    const notes = [
      ...(status === 'success' ? [] : [statusWords(status, trans)]),
      ...(duration === undefined ? [] : [formatDuration(duration, trans)])
    ];
    this._disclosure.label(
      name === undefined
        ? trans.__('Result')
        : trans.__('Result: %1', controlsVisible(name)),
      notes.join(' · ')
    );
  }

  private _mark(status: string, running: boolean): void {
    const { classList } = this._disclosure.node;
    classList.toggle('msgbook-mod-error', status === 'error');
    classList.toggle(
      'msgbook-mod-denied',
      status === 'denied' || status === 'interrupted'
    );
    classList.toggle('msgbook-mod-streaming', running);
    classList.toggle('msgbook-mod-step', this._step !== null);
  }

  /**
   * Take the focus of a call whose line is this one now. If it stayed visible until the focus left it,
   * the page would move under a button that is being pressed, and the press would be lost.
   */
  private _takeFocus(): void {
    const call = this.widget.node.previousElementSibling;
    if (
      this._step !== null &&
      call?.contains(document.activeElement) &&
      !call.hasAttribute('open')
    ) {
      this._disclosure.focus();
    }
  }

  /** Show the output of a tool that runs, from its end. */
  private _showOutput(text: string): void {
    if (this._outputNode.parentNode === null) {
      this._body.replaceChildren(this._outputNode);
    }
    this._output.show(controlsVisible(text));
    this._outputNode.scrollTop = this._outputNode.scrollHeight;
  }

  private _showParts(parts: readonly ResultPart[]): void {
    const trans = this._trans;
    const show = (node: (part: ResultPart) => HTMLElement) =>
      this._body.replaceChildren(
        ...(parts.length > 0
          ? parts.map(node)
          : [element('div', 'msgbook-Empty', trans.__('(empty)'))])
      );
    // A closed result has its text alone, which is cheap and which the browser's search finds.
    show(part => plainPart(part, trans));
    const call = this._step;
    this._disclosure.whenOpen(() => {
      show(part => resultPart(part, trans));
      if (call !== null) {
        this._body.prepend(sentArguments(call, trans));
      }
    });
  }

  /** The call, if its line is this one. */
  private _step: IBlock | null = null;
  private readonly _trans: TranslationBundle;
  private readonly _agents: AgentList;
  private readonly _body = element('div', 'msgbook-Result-body');
  private readonly _disclosure = new Disclosure('msgbook-Result', this._body);
  private readonly _output = new GrowingText();
  private readonly _outputNode = element(
    'pre',
    'msgbook-Pre',
    this._output.node
  );
  /** The arguments that the tasks are of. */
  private _json = '';
  private _tasks: readonly string[] = [];
}

/** Return whether a call and its result can be one line: nothing is between, and nothing was changed. */
function isStep(
  blocks: readonly IBlock[],
  block: IBlock,
  call: IBlock
): boolean {
  return (
    blocks[blocks.indexOf(block) - 1] === call &&
    (block.status === 'success' || block.status === 'error') &&
    call.edited_arguments === undefined &&
    call.unfinished !== true
  );
}

/** Return what a tool gave, in a few words. */
function resultGist(
  parts: readonly ResultPart[],
  trans: TranslationBundle
): string {
  const [first] = parts;
  if (first?.kind !== 'text') {
    return first === undefined
      ? trans.__('(empty)')
      : first.kind === 'image'
        ? trans.__('a picture')
        : trans.__('data');
  }
  const text = first.text.trim();
  const lines = text === '' ? 0 : text.split('\n').length;
  if (lines <= 1) {
    const cut = text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
    return text === '' ? trans.__('(empty)') : visible(cut);
  }
  return trans._n('%1 line', '%1 lines', lines);
}

/** Return the first text among a call's arguments, which names what it is about: a path, a command. */
function mainArgument(json: string): string {
  const [, found, end] = FIRST_TEXT.exec(json.slice(0, START)) ?? [];
  const isCut = end !== '"';
  if (found === undefined || (isCut && json.length <= START)) {
    return argumentsGist(json === '{}' ? '' : json.slice(0, LONG));
  }
  const whole = JSON.parse(`"${found}"`) as string;
  const text = whole.replace(/\s+/g, ' ').trim();
  const isLong = isCut || text.length > LONG;
  return visible(isLong ? `${text.slice(0, LONG)}…` : text);
}

function sentArguments(call: IBlock, trans: TranslationBundle): HTMLElement {
  const report = reportOf(call);
  const shown = report ?? indentJson(asText(call.arguments) ?? '');
  const node = element(
    'pre',
    'msgbook-Pre msgbook-Result-sent',
    visible(shown)
  );
  node.setAttribute(
    'aria-label',
    report === null ? trans.__('Arguments of the call') : trans.__('Report')
  );
  return node;
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
  const link = element('a', 'msgbook-ImageLink', shown);
  link.href = followed;
  hardenLink(link);
  return element('div', 'msgbook-Result-link', link);
}

/** Return the text with which a sub-agent ends its task; null for a call of another tool. */
export function reportOf(call: IBlock): string | null {
  if (call.name !== 'task_finish') {
    return null;
  }
  try {
    const given: unknown = JSON.parse(argumentsOf(call));
    return isObject(given) ? (asText(given.context_summary) ?? null) : null;
  } catch {
    return null;
  }
}
