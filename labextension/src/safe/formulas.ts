/*
 * What a formula is in a text. The same rules in Python, with what they mean:
 * `jupytext_format/msgbook_format/turn/markdown/formulas.py`. One fixture tests both.
 */

/** Letters and punctuation of texts without blanks between words. */
export const EAST_ASIAN =
  '[\\u1100-\\u11ff\\u2e80-\\u2fff\\u3001-\\ua4cf\\uac00-\\ud7ff\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff01-\\uffee\\u{20000}-\\u{3ffff}]';
const HAS_EAST_ASIAN = new RegExp(EAST_ASIAN, 'u');

/** Greatest length of a formula, in characters; the search for its end is no longer. */
export const LONGEST = 8_000;

/** Environments that are formulas, for a pattern. */
export const NAMES =
  'equation|align|alignat|flalign|gather|multline|eqnarray|math|displaymath|subequations' +
  '|aligned|alignedat|gathered|multlined|split|array|subarray|smallmatrix|[pbBvV]?matrix|[dr]?cases|CD';

/** What opens a formula, for a pattern. */
export const OPENER_SOURCE = `\\$\\$?|(?<bracket>\\\\\\\\?)(?<side>[(\\[])|\\\\begin\\{(?<name>(?:${NAMES})\\*?)\\}`;
const OPENER = new RegExp(OPENER_SOURCE, 'y');

/** A formula in a text. */
export interface IFormula {
  /** Position after its closing delimiter. */
  readonly end: number;
  readonly tex: string;
  readonly display: boolean;
}

/** Return the match of a sticky or global pattern from a place on. */
export function matchAt(
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
const BETWEEN = /[/:=,;.+&([<>"^%@#~-]$(?!\n)|^_*[A-Z][A-Z0-9_]+$(?!\n)/;
/** An amount of money and the words behind it, right before a formula: `$1,000 per m$^3$`. */
const AMOUNT = /^\p{Nd}[\p{Nd}.,]*\s(?:[^\\]*\s)?[a-z]+$(?!\n)/u;
const OF_TEXT = /\\(?:text|mathrm|mbox|operatorname)\{[^{}]*\}/g;

/** Return whether a text between two dollars is prose or a path, and the second one opens something itself. */
function isBetween(tex: string, after: string): boolean {
  if (/^[_^{\\]/.test(after) && AMOUNT.test(tex)) {
    return true;
  }
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
