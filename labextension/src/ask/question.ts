import type { TranslationBundle } from '@jupyterlab/translation';
import { fenced } from '../code/notebookCode';
import { referenceTo, referenceToCell } from '../prompts/attachments';

/** What a person wants to ask about. */
export interface IAsked {
  /** The text that is meant. */
  readonly text: string;
  /** The language of the text, if it is code. */
  readonly language?: string;
  /** The cell above the question that is meant as a whole. */
  readonly cellId?: string;
  /** The saved file that is meant, or holds the text. */
  readonly path?: string;
  /** The first and the last line of the file that are meant, from 1. */
  readonly lines?: readonly [number, number];
}

const LANGUAGE = /^[\w+-]{1,20}$/;

// What ends a line for anybody who reads the message.
// eslint-disable-next-line no-control-regex
const LINE_END = /\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/**
 * Return the beginning of a message about something: its reference, else its text as a quotation.
 *
 * The text may be hostile, as outputs and files are. It stands in a block that it cannot end, where
 * nothing of it is a reference or a macro, and never at the beginning of the message.
 *
 * @param pathFor - Returns a path as it is named from the folder of the chat; null if it cannot be.
 */
export function beginQuestion(
  { text, language = '', cellId, path, lines }: IAsked,
  pathFor: (path: string) => string | null,
  trans: TranslationBundle
): string {
  const reference =
    (cellId === undefined ? null : referenceToCell(cellId)) ??
    (path === undefined ? null : fileReference(pathFor(path), lines));
  if (reference !== null) {
    return `${reference} `;
  }
  const code = {
    text: text.replace(LINE_END, '\n'),
    language: LANGUAGE.test(language) ? language : ''
  };
  return `${trans.__('About this:')}\n\n${fenced(code)}\n\n`;
}

/** Return the reference to lines of a file, or to all of it; null if none can name it. */
export function fileReference(
  path: string | null,
  lines: IAsked['lines']
): string | null {
  const whole = path === null ? null : referenceTo(path);
  if (whole === null || lines === undefined) {
    return whole;
  }
  const [first, last] = lines;
  const place = first === last ? `${first}` : `${first}:${last}`;
  // An image has no lines.
  return whole.startsWith('@[') ? `${whole.slice(0, -1)}:${place}]` : null;
}
