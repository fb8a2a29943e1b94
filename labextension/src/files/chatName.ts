import { withoutMsgLine } from '../cells/cellFacts';

/** Endings of chats; a new name keeps the one that the file has. */
const SUFFIXES = ['.msg.md', '.ipynb'];

/** Names that JupyterLab and this extension give to new files. */
const UNTITLED = /^untitled[ -]?\d*$/i;

/** Longest name, in characters, and in bytes of a file system, of which 255 are the most. */
const MOST_CHARACTERS = 50;
const MOST_BYTES = 180;

/** Names that Windows keeps for devices, also with an ending. */
const RESERVED =
  /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/** What no file system, shell or reader should meet in a name; all of it becomes a blank. */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}\p{Z}/\\:*?"<>|`$%#~^{}[\]()!@&;=]+/gu;

/** How a reference names a file, of which the name is kept. */
const REFERENCE = /@\[([^\]\n]*)\]/g;

/** Return the name of a chat's file without its ending; null for a file that is no chat. */
export function chatStem(name: string): string | null {
  const suffix = SUFFIXES.find(ending => name.endsWith(ending));
  return suffix === undefined ? null : name.slice(0, -suffix.length);
}

/** Return whether nobody has named a chat's file yet. */
export function isUntitled(name: string): boolean {
  return UNTITLED.test(chatStem(name) ?? '');
}

/**
 * Return a name for a chat, made of its first message; null if the message has no fit words.
 *
 * The message may be anybody's. What is returned is a visible name on one line that every file
 * system takes, and no path.
 */
export function chatTitle(message: string): string | null {
  for (const line of withoutMsgLine(message).split(/[\r\n\u2028\u2029]/)) {
    const title = fit(line);
    if (title !== null) {
      return title;
    }
  }
  return null;
}

/**
 * Return a free name for a chat's file.
 *
 * @param name - The name that it has, whose ending is kept.
 * @param taken - The names in its folder; letters of either case count as the same.
 */
export function freeName(
  title: string,
  name: string,
  taken: readonly string[]
): string {
  const suffix = name.slice((chatStem(name) ?? name).length);
  const folded = new Set(taken.map(fold));
  for (let number = 1; ; number += 1) {
    const stem = number === 1 ? title : `${title} ${number}`;
    // A pair has the same name with the other ending.
    if (SUFFIXES.every(ending => !folded.has(fold(`${stem}${ending}`)))) {
      return `${stem}${suffix}`;
    }
  }
}

function fit(line: string): string | null {
  const plain = line
    .normalize('NFC')
    .replace(REFERENCE, (_, path: string) => path.split('/').pop() ?? '')
    // Marks at the beginning of a line of Markdown: quotes, lists, headings.
    .replace(/^(\s*([>*+-]|#{1,6}|\d{1,9}[.)])\s+)+/, '')
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(UNFIT, ' ')
    .trim();
  // Neither hidden, nor an option of a command, nor what Windows drops.
  const title = shorten(plain)
    .replace(/^[.\-\s]+/, '')
    .replace(/[.,\-\s]+$/, '');
  const hasWords = /[\p{L}\p{N}]/u.test(title);
  return !hasWords || RESERVED.test(title) || UNTITLED.test(title)
    ? null
    : title;
}

/** Cut a text at a word, to what a name may be long; a character and its marks stay together. */
function shorten(text: string): string {
  const bytes = new TextEncoder();
  let kept = '';
  for (const { segment } of graphemes(text)) {
    const next = kept + segment;
    if (
      [...next].length > MOST_CHARACTERS ||
      bytes.encode(next).length > MOST_BYTES
    ) {
      const word = kept.lastIndexOf(' ');
      return text.startsWith(`${kept} `) || word < kept.length / 2
        ? kept
        : kept.slice(0, word);
    }
    kept = next;
  }
  return kept;
}

function graphemes(text: string): Iterable<{ segment: string }> {
  return new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    // A cell may be long, and its first line too.
    text.slice(0, 1000)
  );
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
