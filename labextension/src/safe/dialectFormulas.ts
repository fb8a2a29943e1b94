import type MarkdownIt from 'markdown-it';
import type { StateBlock, StateCore, StateInline, Token } from 'markdown-it';

/*
 * Where formulas are in Markdown. The same rules in Python, with what they mean:
 * `jupytext_format/msgbook_format/turn/markdown/formulas.py`. One fixture tests both.
 */

/** Letters and punctuation of texts without blanks between words. */
export const EAST_ASIAN =
  '[\\u1100-\\u11ff\\u2e80-\\u2fff\\u3001-\\ua4cf\\uac00-\\ud7ff\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff01-\\uffee\\u{20000}-\\u{3ffff}]';
const HAS_EAST_ASIAN = new RegExp(EAST_ASIAN, 'u');

/** Type of the token of a formula within a line; its content is TeX without delimiters. */
export const FORMULA = 'formula';

/** Type of the token of a formula that stands alone, in a paragraph or between blocks. */
export const DISPLAY = 'display_formula';

/** Greatest length of a formula, in characters; the search for its end is no longer. */
const LONGEST = 8_000;
const MOST_LINES = 200;

/**
 * Most lines of a text in which ends of formulas are looked for: each line may begin one, and look
 * through the same lines. Beyond, a formula ends in its line.
 */
const MOST_SEARCHED = 100_000;
const SEARCHED = 'formulaLines';

const NAMES =
  'equation|align|alignat|flalign|gather|multline|eqnarray|math|displaymath|subequations' +
  '|aligned|alignedat|gathered|multlined|split|array|subarray|smallmatrix|[pbBvV]?matrix|[dr]?cases|CD';
const OPENER_SOURCE = `\\$\\$?|(?<bracket>\\\\\\\\?)(?<side>[(\\[])|\\\\begin\\{(?<name>(?:${NAMES})\\*?)\\}`;
const OPENER = new RegExp(OPENER_SOURCE, 'y');
const CODE_OR_OPENER = new RegExp(
  `\\\\[\`|]|(?<run>\`+)|(?<opener>${OPENER_SOURCE})|\\\\\\\\`,
  'g'
);
const BLOCK_OPENER = new RegExp(
  `\\$\\$|\\\\\\\\?\\[|\\\\begin\\{(?:${NAMES})\\*?\\}`,
  'y'
);

/** Stands for a pipe that ends no cell. No text has this character, which is none. */
const MARK = '\ufdd0';

/** A formula in a text. */
export interface IFormula {
  /** Position after its closing delimiter. */
  readonly end: number;
  readonly tex: string;
  readonly display: boolean;
}

function matchAt(
  pattern: RegExp,
  text: string,
  pos: number
): RegExpExecArray | null {
  pattern.lastIndex = pos;
  return pattern.exec(text);
}

/** Return the formula that begins at `pos`; null if none does. */
export function formulaAt(text: string, pos: number): IFormula | null {
  const opener = matchAt(OPENER, text, pos);
  if (opener === null) {
    return null;
  }
  const start = pos + opener[0].length;
  if (opener[0] === '$') {
    return text[start] === '`' ? inBackticks(text, start) : dollar(text, start);
  }
  const { name, bracket, side } = opener.groups ?? {};
  if (name) {
    const end = environmentEnd(text, start, name);
    return end > 0 ? { end, tex: text.slice(pos, end), display: true } : null;
  }
  const close = side ? bracket + (side === '(' ? ')' : ']') : '$$';
  const near = text.slice(start, start + LONGEST);
  // Where another one opens, that one may be the formula.
  const next = side ? near.indexOf(opener[0]) : -1;
  const found = find(next < 0 ? near : near.slice(0, next), close, start);
  const tex = found < 0 ? '' : text.slice(start, found);
  if (tex.trim() === '' || tex.includes('`')) {
    return null;
  }
  const end = found + close.length;
  if (side && text.slice(start, end + 1).includes('](')) {
    // Brackets that are escaped, around a link.
    return null;
  }
  return { end, tex: tex.trim(), display: side !== '(' };
}

/** Return GitHub's other form of a formula: a dollar, code, and a dollar. */
function inBackticks(text: string, start: number): IFormula | null {
  const near = text.slice(start, start + LONGEST + 2);
  const end = near.indexOf('`$', 1);
  const tex = near.slice(1, end);
  if (
    end < 0 ||
    tex.includes('`') ||
    tex.trim() === '' ||
    /^\p{Nd}/u.test(text.slice(start + end + 2, start + end + 4))
  ) {
    return null;
  }
  return { end: start + end + 2, tex: tex.trim(), display: false };
}

/** What stands between two dollars that are no formula, right before a name: `$HOME/$USER`, `$5; x=$y$`. */
const BETWEEN = /[/:=,;.+&([<>"^%@#~-]$(?!\n)|^[A-Z_][A-Z0-9_]+$(?!\n)/;
const OF_TEXT = /\\(?:text|mathrm|mbox|operatorname)\{[^{}]*\}/g;

/** Return whether a text between two dollars is prose or a path, and the second one opens something itself. */
function isBetween(tex: string, after: string): boolean {
  return (
    /^[A-Za-z_{\\]/.test(after) &&
    (BETWEEN.test(tex) || HAS_EAST_ASIAN.test(tex.replace(OF_TEXT, '')))
  );
}

function dollar(text: string, start: number): IFormula | null {
  const found = find(text.slice(start, start + LONGEST), '$', start);
  if (
    found <= start ||
    /\s/.test(text[start]) ||
    /\s/.test(text[found - 1]) ||
    text.slice(start, found).includes('`') ||
    /^\p{Nd}/u.test(text.slice(found + 1, found + 3))
  ) {
    return null;
  }
  const tex = text.slice(start, found);
  if (isBetween(tex, text.slice(found + 1, found + 2))) {
    return null;
  }
  const around =
    text.slice(Math.max(0, start - 2), start - 1) +
    text.slice(found + 1, found + 2);
  if (tex.split('|').length % 2 === 0 && /[\p{L}\p{N}]/u.test(around)) {
    // Two cells of a table, as in `|$a|$b|` or `|5$|6$|`.
    return null;
  }
  return { end: found + 1, tex, display: false };
}

/** Return where `close` stands first in `near`, which begins at `start`, without a backslash before it. */
function find(near: string, close: string, start: number): number {
  for (
    let found = near.indexOf(close);
    found !== -1;
    found = near.indexOf(close, found + 1)
  ) {
    let before = found;
    while (before > 0 && near[before - 1] === '\\') {
      before--;
    }
    if ((found - before) % 2 === 0) {
      return start + found;
    }
  }
  return -1;
}

function environmentEnd(text: string, start: number, name: string): number {
  const begin = `\\begin{${name}}`;
  const end = `\\end{${name}}`;
  const near = text.slice(start, start + LONGEST);
  let depth = 1;
  let pos = 0;
  while (depth > 0) {
    const found = near.indexOf(end, pos);
    if (found < 0) {
      return -1;
    }
    depth += near.slice(pos, found).split(begin).length - 2;
    pos = found + end.length;
  }
  return start + pos;
}

/** Add the rules to a parser. */
export function addFormulas(md: MarkdownIt): void {
  md.core.ruler.before('block', 'hide_pipes', hidePipes);
  md.core.ruler.after('block', 'show_pipes', showPipes);
  md.core.ruler.after('show_pipes', 'math_fences', readMathFences);
  const interrupting = { alt: ['paragraph', 'reference', 'blockquote'] };
  md.block.ruler.before('fence', DISPLAY, blockRule, interrupting);
  md.block.ruler.before('lheading', 'formula_paragraph', paragraphRule);
  md.inline.ruler.before('escape', FORMULA, inlineRule);
}

function inlineRule(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '$' && src[pos] !== '\\') {
    return false;
  }
  const found = formulaAt(src, pos);
  if (found === null) {
    return skipDollars(state, silent);
  }
  if (!silent) {
    const token = state.push(found.display ? DISPLAY : FORMULA, '', 0);
    token.content = found.tex;
    token.markup = src.slice(pos, found.end);
  }
  state.pos = found.end;
  return true;
}

/** Take two dollars that open nothing as text; the second one opens nothing, either. */
function skipDollars(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('$$', state.pos)) {
    return false;
  }
  if (!silent) {
    state.pending += '$$';
  }
  state.pos += 2;
  return true;
}

function blockRule(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean
): boolean {
  if (state.sCount[startLine] - state.blkIndent >= 4) {
    return false;
  }
  const begin = state.bMarks[startLine] + state.tShift[startLine];
  if (matchAt(BLOCK_OPENER, state.src, begin) === null) {
    return false;
  }
  const last = lastLine(state, startLine, endLine);
  const indent = state.sCount[startLine];
  const text = state.getLines(startLine, last + 1, indent, false);
  const found = formulaAt(text, 0);
  if (found === null) {
    return looseBlock(state, startLine, endLine, silent);
  }
  if (/[^ \t]/.test(text.slice(found.end).split('\n', 1)[0])) {
    return false;
  }
  if (!silent) {
    const lines = text.slice(0, found.end).split('\n').length;
    pushBlock(state, startLine, startLine + lines, found.tex);
  }
  return true;
}

function pushBlock(
  state: StateBlock,
  startLine: number,
  endLine: number,
  tex: string
): void {
  state.line = endLine;
  const token: Token = state.push(DISPLAY, '', 0);
  token.content = tex;
  token.block = true;
  token.map = [startLine, endLine];
}

const ALONE = new RegExp(
  `^(?:\\$\\$|\\\\\\\\?\\[|\\\\begin\\{(?:${NAMES})\\*?\\})[ \\t]*$`
);
const LOOSE_LINES = 50;

/** A line that is in no formula with blank lines: it begins a block of another kind. */
const NO_TEX =
  /^[ \t]*(?:`{3}|~{3}|#{1,6}\s|[-*]\s|\d+[.)]\s|>|\||\$\$.|\\\\?\[[ \t]*$)/;

/** Take a formula with blank lines in it, whose delimiters stand alone on their lines. */
function looseBlock(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean
): boolean {
  const opener = lineOf(state, startLine);
  if (!ALONE.test(opener)) {
    return false;
  }
  const close = opener
    .replace(/[ \t]+$/, '')
    .replace('[', ']')
    .replace('\\begin', '\\end');
  const env = state.env as { [SEARCHED]?: number };
  const searched = env[SEARCHED] ?? 0;
  const most = Math.min(
    endLine,
    startLine + (searched < MOST_SEARCHED ? LOOSE_LINES : 1)
  );
  env[SEARCHED] = searched + most - startLine;
  for (let line = startLine + 1; line < most; line++) {
    const text = lineOf(state, line);
    if (state.isEmpty(line)) {
      continue;
    }
    if (state.sCount[line] < state.blkIndent) {
      return false;
    }
    if (text.replace(/[ \t]+$/, '') === close) {
      return looseFormula(state, startLine, line + 1, silent);
    }
    if (NO_TEX.test(text)) {
      return false;
    }
  }
  return false;
}

function looseFormula(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean
): boolean {
  const indent = state.sCount[startLine];
  const whole = withoutBlankLines(
    state.getLines(startLine, endLine, indent, false)
  );
  const found = formulaAt(whole, 0);
  if (found === null || whole.slice(found.end).trim() !== '') {
    return false;
  }
  if (!silent) {
    pushBlock(state, startLine, endLine, found.tex);
  }
  return true;
}

function withoutBlankLines(text: string): string {
  return text
    .split('\n')
    .filter(line => line.trim() !== '')
    .join('\n');
}

function lineOf(state: StateBlock, line: number): string {
  const begin = state.bMarks[line] + state.tShift[line];
  return state.src.slice(begin, state.eMarks[line]);
}

/** Make formulas of the blocks of code whose language is `math`, as GitHub does. */
function readMathFences({ tokens }: StateCore): void {
  for (const token of tokens) {
    const tex = withoutBlankLines(token.content);
    if (
      token.type === 'fence' &&
      token.info.trim() === 'math' &&
      tex !== '' &&
      tex.length <= LONGEST &&
      !tex.includes('$$') &&
      !tex.includes('`')
    ) {
      Object.assign(token, { type: DISPLAY, tag: '', content: tex.trim() });
    }
  }
}

/** Return the last line that a formula can reach. */
function lastLine(
  state: StateBlock,
  startLine: number,
  endLine: number
): number {
  const env = state.env as { [SEARCHED]?: number };
  const searched = env[SEARCHED] ?? 0;
  const reach = searched < MOST_SEARCHED ? MOST_LINES : 1;
  const most = Math.min(endLine, startLine + reach);
  let line = startLine;
  while (
    line + 1 < most &&
    !state.isEmpty(line + 1) &&
    state.sCount[line + 1] >= state.blkIndent
  ) {
    line++;
  }
  env[SEARCHED] = searched + line - startLine;
  return line;
}

/** Take a paragraph of which a formula reaches over several lines. */
function paragraphRule(
  state: StateBlock,
  startLine: number,
  endLine: number
): boolean {
  if (!state.src.includes('\\') && !state.src.includes('$$')) {
    return false;
  }
  const terminators = state.md.block.ruler.getRules('paragraph');
  const oldParent = state.parentType;
  state.parentType = 'paragraph';
  let until = formulaLines(state, startLine, endLine);
  let reaches = until > startLine;
  let line = until + 1;
  while (line < endLine && !state.isEmpty(line)) {
    const at = line;
    const isInside =
      state.sCount[at] - state.blkIndent > 3 || state.sCount[at] < 0;
    if (
      !isInside &&
      (terminators.some(rule => rule(state, at, endLine, true)) ||
        (!reaches && isUnderline(state, at)))
    ) {
      break;
    }
    until = formulaLines(state, at, endLine);
    reaches ||= until > at;
    line = until + 1;
  }
  state.parentType = oldParent;
  if (!reaches) {
    return false;
  }
  const content = state.getLines(startLine, line, state.blkIndent, false);
  state.line = line;
  state.push('paragraph_open', 'p', 1).map = [startLine, line];
  const inline = state.push('inline', '', 0);
  inline.content = content.trim();
  inline.map = [startLine, line];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}

/** Return whether a line makes a heading of those above it. */
function isUnderline(state: StateBlock, line: number): boolean {
  return /^(?:=+|-+)[ \t]*$/.test(lineOf(state, line));
}

/** Return the line in which the last formula ends that reaches out of `line`, else `line`. */
function formulaLines(
  state: StateBlock,
  line: number,
  endLine: number
): number {
  const begin = state.bMarks[line] + state.tShift[line];
  const text = state.src.slice(begin, state.eMarks[line]);
  if (!text.includes('\\') && !text.includes('$$')) {
    return line;
  }
  const last = lastLine(state, line, endLine);
  if (last === line) {
    return line;
  }
  const whole = state.getLines(line, last + 1, state.sCount[line], false);
  let pos = 0;
  let until = 0;
  for (
    let found = matchAt(CODE_OR_OPENER, whole, pos);
    found !== null && found.index <= lineEnd(whole, until);
    found = matchAt(CODE_OR_OPENER, whole, pos)
  ) {
    const { run, opener } = found.groups ?? {};
    pos = found.index + found[0].length;
    const formula = opener ? formulaAt(whole, found.index) : null;
    if (run) {
      pos = codeEnd(whole.slice(0, pos + LONGEST), run, pos);
    } else if (formula !== null) {
      pos = formula.end;
      until = opener === '$' ? until : Math.max(until, pos);
    }
  }
  return line + whole.slice(0, until).split('\n').length - 1;
}

function lineEnd(text: string, pos: number): number {
  const end = text.indexOf('\n', pos);
  return end < 0 ? text.length : end;
}

/** Return the position after the code that a run of backticks opens; `pos` if nothing closes it. */
function codeEnd(text: string, run: string, pos: number): number {
  const closing = matchAt(new RegExp(`(?<!\`)${run}(?!\`)`, 'g'), text, pos);
  return closing === null ? pos : closing.index + run.length;
}

function hidePipes(state: StateCore): void {
  const { src } = state;
  if (!src.includes('|') || src.includes(MARK) || !/[`$\\]/.test(src)) {
    return;
  }
  state.src = src
    .split('\n')
    .map(line =>
      line.split('|').length > 2 && /[`$\\]/.test(line)
        ? withoutPipes(line)
        : line
    )
    .join('\n');
}

/** Return the line with a mark for each pipe inside of code or a formula. */
function withoutPipes(line: string): string {
  let out = '';
  let pos = 0;
  for (
    let found = matchAt(CODE_OR_OPENER, line, pos);
    found !== null;
    found = matchAt(CODE_OR_OPENER, line, pos)
  ) {
    const { run, opener } = found.groups ?? {};
    const start = found.index;
    let end = start + found[0].length;
    out += line.slice(pos, start);
    const formula = opener ? formulaAt(line, start) : null;
    if (run) {
      end = codeEnd(line, run, end);
      out += line.slice(start, end).replace(/(?<!\\)\|/g, MARK);
    } else if (formula !== null) {
      end = formula.end;
      out += line.slice(start, end).replaceAll('|', MARK);
    } else {
      out += found[0];
    }
    pos = end;
  }
  return out + line.slice(pos);
}

function showPipes(state: StateCore): void {
  if (state.src.includes(MARK)) {
    for (const token of state.tokens) {
      token.content = token.content.replaceAll(MARK, '|');
      token.info = token.info.replaceAll(MARK, '|');
    }
  }
}
