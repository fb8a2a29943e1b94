import type MarkdownIt from 'markdown-it';
import type { StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import { formulaAt, LONGEST, matchAt, NAMES, OPENER_SOURCE } from './formulas';

/* Where a parser of Markdown looks for formulas: in lines, blocks and tables. */

/** Type of the token of a formula within a line; its content is TeX without delimiters. */
export const FORMULA = 'formula';

/** Type of the token of a formula that stands alone, in a paragraph or between blocks. */
export const DISPLAY = 'display_formula';

/** Lines that a formula can reach over. */
const MOST_LINES = 200;

/**
 * Most lines of a text in which ends of formulas are looked for: each line may begin one, and look
 * through the same lines. Beyond, a formula ends in its line.
 */
const MOST_SEARCHED = 100_000;
const SEARCHED = 'formulaLines';

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

/** Return the text of a line without its indentation. */
export function lineOf(state: StateBlock, line: number): string {
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
