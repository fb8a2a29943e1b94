import type { BareCell } from '../comm/ourKernels';
import { languageOf } from '../prompts/promptKind';
import { openingOf, OWN_MAGICS, withoutMsgLine } from './cellFacts';

/** What a person chooses a cell to be, in the order of lists. */
export const KINDS = ['message', 'python', 'shell', 'note', 'raw'] as const;

export type Kind = (typeof KINDS)[number];

/** The part of a cell that makes its kind. */
export interface IKindCell {
  readonly type: string;
  readonly source: string;
}

/** Return the kind of a cell; null for a command of msgbook's and for code in another language. */
export function kindOf(
  { type, source }: IKindCell,
  bare: BareCell
): Kind | null {
  if (type !== 'code') {
    return type === 'raw' ? 'raw' : 'note';
  }
  const opening = openingOf(source);
  switch (opening) {
    case undefined:
      return bare;
    case '%%msg':
    case '%continue':
      return 'message';
    case '!':
      return isShellAlone(source) ? 'shell' : 'python';
  }
  if (!opening.startsWith('%%')) {
    return OWN_MAGICS.includes(opening) ? null : 'python';
  }
  return languageOf(opening.slice(2));
}

/** Return a cell as one of another kind: with another first line or another type. */
export function withKind(
  cell: IKindCell,
  kind: Kind,
  bare: BareCell
): IKindCell {
  const now = kindOf(cell, bare);
  if (now === kind) {
    return cell;
  }
  const body = bodyOf(cell.source, now, bare);
  switch (kind) {
    case 'note':
      return { type: 'markdown', source: body };
    case 'raw':
      return { type: 'raw', source: body };
    default:
      return { type: 'code', source: withFirstLine(body, kind, bare) };
  }
}

/** Return the text of a code cell that holds this and is of a kind. */
export function withFirstLine(
  body: string,
  kind: 'message' | 'python' | 'shell',
  bare: BareCell
): string {
  const isEnough = kindOf({ type: 'code', source: body }, bare) === kind;
  if (kind === bare && isEnough && !ESCAPED.test(body)) {
    return body;
  }
  return `${FIRST_LINES[kind]}\n${body}`;
}

const FIRST_LINES = { message: '%%msg', python: '%%python', shell: '%%bash' };

/** A message that would be code without its first character, which is not sent. */
const ESCAPED = /^\s*\\(?=[!%])/;

const FIRST_LINE = /^\s*%%(?:python|bash|sh)[^\S\n]*(?:\n|$)/;

function bodyOf(source: string, kind: Kind | null, bare: BareCell): string {
  switch (kind) {
    case 'message': {
      const body = withoutMsgLine(source);
      return body === source && bare === 'message'
        ? source.replace(ESCAPED, '')
        : body;
    }
    case 'shell':
      return isShellAlone(source)
        ? source.replace(/^\s*!/gm, '')
        : source.replace(FIRST_LINE, '');
    case 'python':
      return source.replace(FIRST_LINE, '');
    default:
      return source;
  }
}

/** Return whether each line of a source is a command for the shell. */
function isShellAlone(source: string): boolean {
  const lines = source.split('\n').filter(line => line.trim() !== '');
  return lines.length > 0 && lines.every(line => openingOf(line) === '!');
}
