import type { TranslationBundle } from '@jupyterlab/translation';
import { kindOf, REASONINGS } from './kinds';
import type { IBlock, ITurn } from './model';
import { asObjects, asText, isObject } from './reading';
import { shortened } from './text';
import { formatCount } from './wording';

/** Return whether a block is reasoning of which the server tells no word. */
function isHiddenReasoning(block: IBlock): boolean {
  const { text, extra } = block;
  return (
    kindOf(block) === REASONINGS &&
    (text === undefined || (typeof text === 'string' && text.trim() === '')) &&
    isObject(extra) &&
    isObject(extra.item)
  );
}

/**
 * Return one line about each hidden reasoning of a turn, by its index in the blocks.
 *
 * The last line has the turn's reasoning tokens, once the turn has ended. The lines are those of
 * `msgbook_format.turn.wording`; tests/format/turn/fixtures/turn_wording.json tests both.
 */
export function hiddenReasoningLines(
  turn: ITurn,
  running: boolean,
  trans: TranslationBundle
): ReadonlyMap<number, string> {
  const words = trans.__(
    'The model reasoned, but the server does not return its reasoning'
  );
  const lines = new Map<number, string>();
  let last = -1;
  for (const [index, block] of turn.blocks.entries()) {
    if (isHiddenReasoning(block)) {
      lines.set((last = index), words);
    }
  }
  const tokens = turn.usage.reasoningTokens;
  if (last !== -1 && tokens && !running) {
    const count = formatCount(tokens);
    lines.set(
      last,
      trans.__('%1 (%2 reasoning tokens in this turn)', words, count)
    );
  }
  return lines;
}

/** One source of a text, with text of unknown origin. */
export interface ISource {
  /** One line, not empty. */
  readonly title: string;
  /** An http, https or mailto URL; null if the source has none. */
  readonly url: string | null;
}

/** Sources of a block that are shown, and the number of further ones. */
export interface ISources {
  readonly sources: readonly ISource[];
  readonly further: number;
}

const SOURCES_LIMIT = 50;
const TITLE_LIMIT = 200;

// It holds no blank and no invisible character.
const LINK =
  // eslint-disable-next-line no-control-regex
  /^(?:https?:\/\/|mailto:)[^\u0000-\u0020\u007f-\u00a0\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\u{e0000}-\u{e007f}]{1,2000}$/iu;

// Keys of a citation that name its source, the best one first. A cited file has no URL.
const TITLES = ['title', 'filename', 'url', 'file_id'];

/**
 * Return the sources that the citations of a block name, each once.
 *
 * The rules are those of `msgbook_format.turn.wording`;
 * tests/format/turn/fixtures/sources.json tests both.
 */
export function shownSources(block: IBlock): ISources {
  const citations = isObject(block.extra) ? block.extra.annotations : [];
  const found = new Map<string, ISource>();
  for (const value of Array.isArray(citations) ? citations : []) {
    const source = isObject(value) ? sourceOf(value) : null;
    const key = source && (source.url ?? ` ${source.title}`);
    if (source !== null && !found.has(key!)) {
      found.set(key!, source);
    }
  }
  const sources = Array.from(found.values());
  return {
    sources: sources.slice(0, SOURCES_LIMIT),
    further: Math.max(0, sources.length - SOURCES_LIMIT)
  };
}

function sourceOf(citation: Record<string, unknown>): ISource | null {
  const title = TITLES.map(key => oneLine(citation[key])).find(Boolean);
  const url = asText(citation.url) ?? '';
  return title ? { title, url: LINK.test(url) ? url : null } : null;
}

/** Return the addresses of pages that a server opened or found, as its item names them. */
export function pagesOf(item: Record<string, unknown>): readonly string[] {
  const action = isObject(item.action) ? item.action : {};
  const places = [action, ...asObjects(item.content)];
  return places
    .map(place => asText(place.url) ?? '')
    .filter(url => /^http/i.test(url) && LINK.test(url))
    .slice(0, SOURCES_LIMIT);
}

function oneLine(value: unknown): string {
  const line = (asText(value) ?? '')
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/^ | $/g, '');
  return line.length <= TITLE_LIMIT
    ? line
    : `${line.slice(0, TITLE_LIMIT - 1)}…`;
}

/** Characters of a task that are shown. */
const SHOWN = 2000;

/** Return the tasks that a call's arguments give to sub-agents, in their order. */
export function tasksOf(json: string): readonly string[] {
  try {
    const given: unknown = JSON.parse(json);
    const tasks = isObject(given) ? given.sub_agents : undefined;
    return Array.isArray(tasks) ? tasks.map(promptOf) : [];
  } catch {
    return [];
  }
}

/** Return what a sub-agent is about: its task, if its name is the beginning of that. */
export function aboutOf(name: string, task: string): string {
  return task.startsWith(name.replace(/\.\.\.$/, '')) ? task : name;
}

function promptOf(task: unknown): string {
  const prompt = isObject(task) ? (asText(task.prompt) ?? '') : '';
  return shortened(prompt, SHOWN);
}
