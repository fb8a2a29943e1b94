import { asText, isObject, type IBlock } from './model';

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

function oneLine(value: unknown): string {
  const line = (asText(value) ?? '')
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/^ | $/g, '');
  return line.length <= TITLE_LIMIT
    ? line
    : `${line.slice(0, TITLE_LIMIT - 1)}…`;
}
