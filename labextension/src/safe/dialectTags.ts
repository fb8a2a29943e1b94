import type MarkdownIt from 'markdown-it';
import type { StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import { lineOf } from './dialectFormulas';

/*
 * The tags that Markdown of a model may have: `<br>`, `<sub>` and a few more, without attributes. The
 * same rules in Python: `jupytext_format/msgbook_format/turn/markdown/dialect.py`.
 */

const TAG = /<(?:br[ \t]*\/?|(\/?)(sub|sup|kbd))>/iy;
// Attributes are left out.
const DETAILS =
  /^<(\/?)details(?:[ \t][^<>]{0,200})?>(?:[ \t]*<summary(?:[ \t][^<>]{0,200})?>(.*?)<\/summary>)?[ \t]*$/i;
const SUMMARY = /^<summary(?:[ \t][^<>]{0,200})?>(.*?)<\/summary>[ \t]*$/i;

/** Greatest number of `<details>` around one another. */
const MOST_DETAILS = 8;

/** Add the rules to a parser. */
export function addTags(md: MarkdownIt): void {
  md.inline.ruler.before('autolink', 'tag', tagRule);
  md.core.ruler.after('inline', 'tag_pairs', pairTags);
  const interrupting = { alt: ['paragraph', 'reference', 'blockquote'] };
  md.block.ruler.before('fence', 'details', detailsRule, interrupting);
  md.core.ruler.after('block', 'details_pairs', pairDetails);
}

function tagRule(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '<') {
    return false;
  }
  TAG.lastIndex = state.pos;
  const found = TAG.exec(state.src);
  if (found === null) {
    return false;
  }
  if (!silent) {
    const name = (found[2] ?? '').toLowerCase();
    // Whether it opens or closes anything is only known when its partner is.
    const token = state.push(
      name === '' ? 'hardbreak' : 'tag',
      name === '' ? 'br' : name,
      0
    );
    token.meta = { closes: found[1] === '/' };
    token.content = found[0];
  }
  state.pos += found[0].length;
  return true;
}

/** Make text of the tags that have no partner in their place. */
function pairTags(state: StateCore): void {
  for (const { children } of state.tokens) {
    const tags = (children ?? []).filter(({ type }) => type === 'tag');
    if (tags.length > 0) {
      const paired = pairedTags(children ?? []);
      for (const tag of tags) {
        if (paired.has(tag)) {
          tag.nesting = closes(tag) ? -1 : 1;
        } else {
          Object.assign(tag, { type: 'text', tag: '' });
        }
      }
    }
  }
}

function closes({ type, nesting, meta }: Token): boolean {
  return type === 'tag'
    ? (meta as { readonly closes: boolean }).closes
    : nesting === -1;
}

function pairedTags(children: readonly Token[]): Set<Token> {
  const open: Token[] = [];
  const paired = new Set<Token>();
  for (const child of children) {
    const isTag = child.type === 'tag';
    if (!isTag && child.nesting === 0) {
      continue;
    }
    const last = open.at(-1);
    if (!closes(child)) {
      open.push(child);
    } else if (!isTag) {
      while (open.pop()?.type === 'tag') {
        // What opens inside of an emphasis does not close outside of it.
      }
    } else if (last?.type === 'tag' && last.tag === child.tag) {
      open.pop();
      paired.add(last).add(child);
    }
  }
  return paired;
}

function detailsRule(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean
): boolean {
  if (state.sCount[startLine] - state.blkIndent >= 4) {
    return false;
  }
  const found = DETAILS.exec(lineOf(state, startLine));
  if (found === null || (found[1] !== '' && found[2] !== undefined)) {
    return false;
  }
  if (silent) {
    return true;
  }
  state.line = startLine + 1;
  if (found[1] !== '') {
    const close = state.push('details_close', 'details', 0);
    close.map = [startLine, state.line];
    return true;
  }
  let summary: string | undefined = found[2];
  if (
    summary === undefined &&
    state.line < endLine &&
    state.sCount[state.line] >= state.blkIndent
  ) {
    summary = SUMMARY.exec(lineOf(state, state.line))?.[1];
    state.line += summary === undefined ? 0 : 1;
  }
  const token = state.push('details_open', 'details', 0);
  token.map = [startLine, state.line];
  token.content = state.getLines(startLine, state.line, state.blkIndent, false);
  token.meta = { summary: summary ?? '' };
  return true;
}

/** Give each `<details>` its end, and make paragraphs of those that have none. */
function pairDetails(state: StateCore): void {
  const { tokens } = state;
  if (!tokens.some(({ tag }) => tag === 'details')) {
    return;
  }
  const open: Token[] = [];
  const opens = new Set<Token>();
  const closes = new Set<Token>();
  for (const token of tokens) {
    while (open.length > 0 && open.at(-1)!.level > token.level) {
      open.pop();
    }
    if (token.type === 'details_open') {
      open.push(token);
    } else if (token.type === 'details_close') {
      if (open.at(-1)?.level === token.level) {
        const start = open.pop()!;
        if (open.length < MOST_DETAILS) {
          opens.add(start);
          closes.add(token);
        }
      }
    }
  }
  state.tokens = tokens.flatMap(token =>
    written(state, token, opens.has(token), closes.has(token))
  );
}

function written(
  state: StateCore,
  token: Token,
  opens: boolean,
  closes: boolean
): Token[] {
  if (token.tag !== 'details') {
    return [token];
  }
  if (closes) {
    token.nesting = -1;
    return [token];
  }
  const block = (type: string, tag: string, nesting: Token['nesting']) => {
    const made = new state.Token(type, tag, nesting);
    made.block = true;
    return made;
  };
  const inline = (text: string) =>
    Object.assign(block('inline', '', 0), {
      content: text,
      children: [],
      map: token.map
    });
  if (opens) {
    token.nesting = 1;
    const { summary } = token.meta as { readonly summary: string };
    return [
      token,
      block('summary_open', 'summary', 1),
      inline(summary || 'Details'),
      block('summary_close', 'summary', -1)
    ];
  }
  const text = token.type === 'details_open' ? token.content : '</details>';
  return [
    block('paragraph_open', 'p', 1),
    inline(text),
    block('paragraph_close', 'p', -1)
  ];
}
