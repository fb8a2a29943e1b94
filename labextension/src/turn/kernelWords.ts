import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from './text';

type Word = (rest: string, trans: TranslationBundle) => string;

/**
 * The reasons as the kernel says them: whole, or up to what is of the call if they end with a blank.
 *
 * The first that fits counts, so a longer beginning stands before a shorter one.
 */
const REASONS: Readonly<Record<string, Word>> = {
  'it runs a command on this machine': (_, trans) =>
    trans.__('It runs a command on this machine'),
  'it runs Python with all rights of the notebook': (_, trans) =>
    trans.__('It runs Python with all rights of the notebook'),
  'it runs, with all rights of the notebook, the cell ': (cell, trans) =>
    trans.__('It runs, with all rights of the notebook, the cell %1', cell),
  'it changes the cell ': (cell, trans) =>
    trans.__('It changes the cell %1', cell),
  'it inserts a code cell at the top': (_, trans) =>
    trans.__('It inserts a code cell at the top'),
  'it inserts a code cell below the cell ': (cell, trans) =>
    trans.__('It inserts a code cell below the cell %1', cell),
  'it inserts a note at the top': (_, trans) =>
    trans.__('It inserts a note at the top'),
  'it inserts a note below the cell ': (cell, trans) =>
    trans.__('It inserts a note below the cell %1', cell),
  "it runs the notebook's function ": (name, trans) =>
    trans.__("It runs the notebook's function %1", name),
  'it runs code of ': (origin, trans) => trans.__('It runs code of %1', origin),
  'it makes the folder ': (path, trans) =>
    placed(path, trans, shown => trans.__('It creates the folder %1', shown)),
  'it makes ': (path, trans) =>
    placed(path, trans, shown => trans.__('It creates %1', shown)),
  'it changes ': (path, trans) =>
    placed(path, trans, shown => trans.__('It changes %1', shown)),
  'it writes ': (path, trans) =>
    placed(path, trans, shown => trans.__('It writes %1', shown)),
  'it replaces the text of ': (path, trans) =>
    placed(path, trans, shown => trans.__('It replaces the text of %1', shown)),
  "it is outside the notebook's folder and it may hold a secret: ": (
    path,
    trans
  ) =>
    trans.__(
      "It is outside the notebook's folder and may hold a secret: %1",
      path
    ),
  "it is outside the notebook's folder: ": (path, trans) =>
    trans.__("It is outside the notebook's folder: %1", path),
  "the notebook's folder is or contains your home directory and it may hold a secret: ":
    (path, trans) =>
      trans.__(
        "The notebook's folder is or contains your home directory, and this may hold a secret: %1",
        path
      ),
  "the notebook's folder is or contains your home directory: ": (path, trans) =>
    trans.__(
      "The notebook's folder is or contains your home directory: %1",
      path
    ),
  'it is outside the folders that this agent may use and it may hold a secret: ':
    (path, trans) =>
      trans.__(
        'It is outside the folders that this agent may use and may hold a secret: %1',
        path
      ),
  'it is outside the folders that this agent may use: ': (path, trans) =>
    trans.__('It is outside the folders that this agent may use: %1', path),
  'it may hold a secret: ': (path, trans) =>
    trans.__('It may hold a secret: %1', path)
};

const OUTSIDE = ", outside the notebook's folder";
const LEFT_OUT = ', and it is outside the folders that this agent may use';
const STARTS = /^it starts (\d{1,6}) sub-agents?$/;
const CALLS =
  /^it calls ([^]+) of the MCP server ([^]+), which is a separate program$/;

/** Return why a call needs approval, in the page's language where the kernel's words are known. */
export function describeReason(
  reason: string,
  trans: TranslationBundle
): string {
  const started = STARTS.exec(reason);
  if (started !== null) {
    const count = Number(started[1]);
    return trans._n('It starts %1 sub-agent', 'It starts %1 sub-agents', count);
  }
  const called = CALLS.exec(reason);
  if (called !== null) {
    return trans.__(
      'It calls %1 of the MCP server %2, which is a separate program',
      visible(called[1]),
      visible(called[2])
    );
  }
  const start = Object.keys(REASONS).find(key =>
    key.endsWith(' ') ? reason.startsWith(key) : reason === key
  );
  return start === undefined
    ? sentence(visible(reason))
    : REASONS[start](visible(reason.slice(start.length)), trans);
}

const UNCLOSED = /^(@\[[^]*) has no closing bracket on its line\.$/;
const UNREADABLE = /^(@\[[^]*?\]) cannot be read: ([^]*)$/;

/** Return a line for each reference of a prompt that the kernel cannot read. */
export function describeBrokenReferences(
  reason: string,
  trans: TranslationBundle
): string[] {
  return reason.split('\n').map(line => {
    const unclosed = UNCLOSED.exec(line);
    if (unclosed !== null) {
      return trans.__(
        'The reference %1 has no closing bracket.',
        visible(unclosed[1])
      );
    }
    const unreadable = UNREADABLE.exec(line);
    return unreadable === null
      ? visible(line)
      : trans.__(
          'The reference %1 cannot be read: %2',
          visible(unreadable[1]),
          visible(unreadable[2])
        );
  });
}

/** Return what happens to a file, and where it is if the kernel says so behind its path. */
function placed(
  path: string,
  trans: TranslationBundle,
  word: (path: string) => string
): string {
  if (path.endsWith(OUTSIDE)) {
    const inner = word(path.slice(0, -OUTSIDE.length));
    return trans.__("%1, outside the notebook's folder", inner);
  }
  if (path.endsWith(LEFT_OUT)) {
    const inner = word(path.slice(0, -LEFT_OUT.length));
    return trans.__(
      '%1, and it is outside the folders that this agent may use',
      inner
    );
  }
  return word(path);
}

/** Return words of the kernel, which begin in lower case, as a sentence. */
function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return a sentence that the kernel always says alike in the page's language, and any other text as it is. */
export function inPageLanguage(text: string, trans: TranslationBundle): string {
  switch (text) {
    case 'You are asked about each call that needs approval.':
      return trans.__('You are asked about each call that needs approval.');
    case 'Calls that need approval are denied (MSGBOOK_APPROVAL=deny).':
      return trans.__(
        'Calls that need approval are denied (MSGBOOK_APPROVAL=deny).'
      );
    case 'All calls run without a question (MSGBOOK_APPROVAL=allow).':
      return trans.__(
        'All calls run without a question (MSGBOOK_APPROVAL=allow).'
      );
    case 'needs approval':
      return trans.__('needs approval');
    case 'no approval':
      return trans.__('no approval');
    case "no approval in the notebook's folder":
      return trans.__("no approval in the notebook's folder");
    default:
      return text;
  }
}
