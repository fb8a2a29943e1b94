import MarkdownIt, { type StateCore, type StateInline } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { addFormulas, DISPLAY, FORMULA } from './dialectFormulas';
import { EAST_ASIAN } from './formulas';
import { addTags } from './dialectTags';

/** Class of an element that holds one formula as TeX between `\(` or `\[` and their ends. */
export const FORMULA_CLASS = 'msgbook-Formula';

/** Characters of a paragraph in which links without brackets are looked for. */
const LONGEST = 8_000;

const SCHEME = /^[^/?#]*?:/;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0020\u007f-\u009f]+/g;
const EMBEDDED =
  /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/i;
const EAST_ASIAN_START = new RegExp(`^${EAST_ASIAN}`, 'u');
const EAST_ASIAN_END = new RegExp(`${EAST_ASIAN}$`, 'u');
const BOX = /^\[([ xX])\][ \t\n]+(?=\S)/;

/** Links after which what follows one that is cut is not looked at again. */
const MOST_CUT = 50;

/** Punctuation with which East Asian texts end what is before it. */
const ENDS_LINK = /[、。，．；：！？（）「」『』【】《》〈〉“”‘’…]/;
const WWW =
  /[\w-]+(?:\.[\w-]+)+(?:[/?#][^\s<>"'`|]*[^\s<>"'`|.,;:!?()[\]{}*_~])?\/?/y;

type Link = NonNullable<ReturnType<MarkdownIt['linkify']['matchAtStart']>>;

/** Let links end before the punctuation of texts without blanks. */
function endLinks({ linkify }: MarkdownIt): void {
  const match = linkify.match.bind(linkify);
  const matchAtStart = linkify.matchAtStart.bind(linkify);
  linkify.match = text => {
    const links: Link[] = [];
    let start = 0;
    for (let isCut = true; isCut;) {
      isCut = false;
      for (const link of match(text.slice(start)) ?? []) {
        link.index += start;
        link.lastIndex += start;
        links.push(link);
        isCut = cut(link) && links.length < MOST_CUT;
        if (isCut) {
          // What follows it may hold another.
          start = link.lastIndex;
          break;
        }
      }
    }
    return links.length > 0 ? links : null;
  };
  linkify.matchAtStart = text => {
    const link = matchAtStart(text);
    if (link !== null) {
      cut(link);
    }
    return link;
  };
}

/** End a link before punctuation that is none of it; return whether there was any. */
function cut(link: Link): boolean {
  const at = link.raw.search(ENDS_LINK);
  if (at < 0) {
    return false;
  }
  const size = link.raw.length - at;
  link.raw = link.raw.slice(0, -size);
  link.text = link.text.slice(0, -size);
  link.url = link.url.slice(0, -size);
  link.lastIndex -= size;
  return true;
}

/** Return whether a link may lead there, or an image is embedded there. */
function isFollowed(url: string): boolean {
  const plain = url.replace(CONTROLS, '');
  const scheme = SCHEME.exec(plain)?.[0].slice(0, -1).toLowerCase();
  return (
    scheme === undefined ||
    ['http', 'https', 'mailto'].includes(scheme) ||
    EMBEDDED.test(plain)
  );
}

/**
 * Return the parser of the dialect that an answer is read in.
 *
 * CommonMark with GitHub's tables, strikethrough, task lists and links without brackets, with
 * footnotes, formulas and a few tags; all other HTML is text. Exports have the same rules, on the same
 * parser in Python: `jupytext_format/msgbook_format/turn/markdown/dialect.py`.
 */
export function dialectParser(): MarkdownIt {
  const md = new MarkdownIt('commonmark', { html: false, linkify: true });
  md.enable(['table', 'strikethrough', 'linkify']);
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false });
  // These take a schema away.
  md.linkify.add('ftp:', null as never).add('//', null as never);
  md.linkify.add('www.', {
    validate: (text, pos) => {
      WWW.lastIndex = pos;
      return WWW.exec(text)?.[0].length ?? 0;
    },
    normalize: match => {
      match.url = `http://${match.url}`;
    }
  });
  endLinks(md);
  md.core.ruler.after('normalize', 'short_paragraphs', ({ src }) => {
    // Their time grows with the square of a paragraph.
    const paragraphs = src.split(/\n[ \t]*\n/);
    md.options.linkify = paragraphs.every(({ length }) => length <= LONGEST);
  });
  md.validateLink = isFollowed;
  const normalize = md.normalizeLink.bind(md);
  // An embedded picture may have megabytes.
  md.normalizeLink = url => (url.startsWith('data:') ? url : normalize(url));
  md.use(footnotes);
  md.inline.ruler.disable('footnote_inline');
  md.core.ruler.before(
    'footnote_tail',
    'unused_footnotes',
    showUnusedFootnotes
  );
  addFormulas(md);
  addTags(md);
  addEastAsianMarks(md);
  md.core.ruler.after('inline', 'image_texts', keepImageTexts);
  md.core.ruler.push('tasks', markTasks);
  setRenderers(md);
  return md;
}

function setRenderers(md: MarkdownIt): void {
  const { rules } = md.renderer;
  const { escapeHtml } = md.utils;
  const formula = (open: string, tex: string, close: string) =>
    `<span class="${FORMULA_CLASS}">${escapeHtml(open + tex + close)}</span>`;
  rules[FORMULA] = (tokens, at) => formula('\\(', tokens[at].content, '\\)');
  rules[DISPLAY] = (tokens, at) => {
    const shown = formula('\\[', tokens[at].content, '\\]');
    return tokens[at].block ? `<div>${shown}</div>\n` : shown;
  };
  rules.th_open = rules.td_open = (tokens, at) => {
    const side = /text-align:(\w+)/.exec(
      tokens[at].attrGet('style') ?? ''
    )?.[1];
    return `<${tokens[at].tag}${side === undefined ? '' : ` align="${side}"`}>`;
  };
  rules.task = (tokens, at) => {
    const { checked } = tokens[at].meta as { readonly checked: boolean };
    return `<input type="checkbox"${checked ? ' checked' : ''} disabled> `;
  };
  rules.footnote_ref = (tokens, at) => {
    const { id } = tokens[at].meta as { readonly id: number };
    return `<sup>[${id + 1}]</sup>`;
  };
  rules.footnote_block_open = () => '<hr>\n<ol>\n';
  rules.footnote_block_close = () => '</ol>\n';
  rules.footnote_open = () => '<li>';
  rules.footnote_close = () => '</li>\n';
  rules.footnote_anchor = () => '';
}

/**
 * Let `*` and `~` also end beside Chinese, Japanese and Korean, which have no blanks.
 *
 * CommonMark takes `**重点：**内容` for a text without emphasis: a mark between punctuation and a letter opens.
 */
function addEastAsianMarks(md: MarkdownIt): void {
  md.inline.State = class extends md.inline.State {
    override scanDelims(
      start: number,
      canSplitWord: boolean
    ): StateInline.Scanned {
      const scanned = super.scanDelims(start, canSplitWord);
      const end = start + scanned.length;
      // A character may be two units.
      const before = this.src.slice(Math.max(0, start - 2), start) || ' ';
      const after = this.src.slice(end, Math.min(end + 2, this.posMax)) || ' ';
      return canSplitWord &&
        (EAST_ASIAN_END.test(before) || EAST_ASIAN_START.test(after))
        ? {
            ...scanned,
            can_open: !/^\s/.test(after),
            can_close: !/\s$/.test(before)
          }
        : scanned;
    }
  };
}

/** Make text of the code and the formulas in the text of an image, which would be left out. */
function keepImageTexts(state: StateCore): void {
  for (const { children } of state.tokens) {
    for (const image of children ?? []) {
      for (const child of image.type === 'image' ? image.children! : []) {
        if (['code_inline', FORMULA, DISPLAY].includes(child.type)) {
          child.type = 'text';
        }
      }
    }
  }
}

/** Make paragraphs of the footnotes to which nothing refers, which would be left out. */
function showUnusedFootnotes(state: StateCore): void {
  const env = state.env as {
    footnotes?: { refs?: Readonly<Record<string, number>> };
  };
  const refs = env.footnotes?.refs ?? {};
  let isUnused = false;
  let mark = '';
  state.tokens = state.tokens.filter(token => {
    const { label } = (token.meta ?? {}) as { readonly label?: string };
    if (token.type === 'footnote_reference_open' && refs[`:${label}`] < 0) {
      isUnused = true;
      mark = `[^${label}]: `;
      return false;
    }
    if (token.type === 'footnote_reference_close' && isUnused) {
      isUnused = false;
      return false;
    }
    if (mark !== '' && token.type === 'inline') {
      const first = new state.Token('text', '', 0);
      first.content = mark;
      token.children?.unshift(first);
      mark = '';
    }
    return true;
  });
}

function markTasks(state: StateCore): void {
  const { tokens } = state;
  for (let at = 2; at < tokens.length; at++) {
    const { content, children } = tokens[at];
    const box = BOX.exec(content);
    if (
      tokens[at - 2].type !== 'list_item_open' ||
      tokens[at - 1].type !== 'paragraph_open' ||
      box === null ||
      children?.[0]?.type !== 'text'
    ) {
      continue;
    }
    const [first] = children;
    const cut = BOX.exec(
      first.content.length <= 4 ? `${first.content}\n-` : first.content
    );
    if (cut === null) {
      continue;
    }
    first.content = first.content.slice(cut[0].length);
    const task = new state.Token('task', '', 0);
    task.meta = { checked: box[1] !== ' ' };
    children.unshift(task);
  }
}

const PARSER = dialectParser();

/** Characters that no text has; here they stand for the HTML of a block of code. */
const NONCHARACTERS = /[\ufdd0-\ufdef]/g;
const PLACE = /\ufdd1(\d+)\ufdd1/;

/** Returns the HTML of a block of code, coloured as its language is. */
export type ColourCode = (code: string, language: string) => Promise<string>;

/** Return the HTML of a text. All of it but the tags that the dialect writes is escaped. */
export async function htmlOf(
  text: string,
  colourCode: ColourCode
): Promise<string> {
  const env = {};
  const tokens = PARSER.parse(text.replace(NONCHARACTERS, '\ufffd'), env);
  const blocks: Promise<string>[] = [];
  for (const token of tokens) {
    const language = token.type === 'fence' ? languageOf(token.info) : '';
    if (DIFFS.has(language)) {
      Object.assign(token, {
        type: 'html_block',
        content: diffHtml(token.content)
      });
    } else if (language !== '') {
      const place = `\ufdd1${blocks.length}\ufdd1`;
      blocks.push(colourCode(token.content, language));
      Object.assign(token, { type: 'html_block', content: place });
    }
  }
  const html = PARSER.renderer.render(tokens, PARSER.options, env);
  const coloured = await Promise.all(blocks);
  return html
    .split(PLACE)
    .map((part, at) => (at % 2 === 0 ? part : coloured[Number(part)]))
    .join('');
}

/** Return the HTML of code without colours. */
export function plainCode(code: string, language: string): string {
  const { escapeHtml } = PARSER.utils;
  return `<pre><code class="language-${escapeHtml(language)}">${escapeHtml(code)}</code></pre>\n`;
}

/** Return the language that an info string names; empty if it names none. */
function languageOf(info: string): string {
  return /^[\w+#.-]{1,40}(?=$|[\s{,:])/.exec(info.trim())?.[0] ?? '';
}

const DIFFS = new Set(['diff', 'patch']);

/** JupyterLab's colours have none for what a diff adds and removes. */
function diffHtml(code: string): string {
  const lines = code
    .replace(/\n$/, '')
    .split('\n')
    .map(line => {
      const kind = /^(?:\+\+\+|---|@@)/.test(line)
        ? 'meta'
        : { '+': 'inserted', '-': 'deleted' }[line[0] ?? ''];
      const shown = PARSER.utils.escapeHtml(line);
      return kind === undefined
        ? shown
        : `<span class="tok-${kind}">${shown}</span>`;
    });
  return `<pre><code class="language-diff">${lines.join('\n')}\n</code></pre>\n`;
}
