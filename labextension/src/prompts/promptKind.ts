import { openingOf } from '../cells/opening';

/**
 * Return whether a code cell of a chat is a message, from the lines up to its first that is not
 * blank.
 *
 * The kernel decides with the names of its magics. Here, as in a message file, any `%name` counts
 * as one.
 */
export function isPrompt(source: string): boolean {
  const opening = openingOf(source);
  return opening === undefined || opening === '%%msg';
}

const MESSAGE = 'text/x-ipythongfm';
const PLAIN = 'text/plain';
const PYTHON = 'text/x-ipython';

/** MIME types of the code after a cell magic. */
const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'text/x-sh',
  sh: 'text/x-sh',
  system: 'text/x-sh',
  sx: 'text/x-sh',
  '!': 'text/x-sh',
  html: 'text/html',
  svg: 'image/svg+xml',
  javascript: 'text/javascript',
  js: 'text/javascript',
  latex: 'text/x-stex',
  markdown: MESSAGE,
  perl: 'text/x-perl',
  ruby: 'text/x-ruby'
};

/**
 * Return the MIME type by which JupyterLab highlights a cell of a chat.
 *
 * @param asProse - Whether prompts are shown as messages.
 */
export function mimeTypeOf(source: string, asProse: boolean): string {
  if (isPrompt(source)) {
    return asProse ? MESSAGE : PLAIN;
  }
  const magic = /^\s*%%(\S+)/.exec(source)?.[1];
  if (magic === undefined) {
    return PLAIN;
  }
  return Object.hasOwn(LANGUAGES, magic) ? LANGUAGES[magic] : PYTHON;
}

/** Return whether a MIME type is that of code, neither of a prompt nor of a magic alone. */
export function isCodeMimeType(mimeType: string): boolean {
  return mimeType !== PLAIN && mimeType !== MESSAGE;
}
