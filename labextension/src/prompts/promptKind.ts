import { openingOf } from '../cells/cellFacts';
import type { BareCell } from '../comm/ourKernels';
import type { CodeCell } from '@jupyterlab/cells';
import { Signal } from '@lumino/signaling';
import { EditorView, placeholder } from '@codemirror/view';
import type { Extension } from '@codemirror/state';
import type { TranslationBundle } from '@jupyterlab/translation';
import { element, withCodeSpans } from '../render/dom';

/**
 * Return whether a code cell of a chat is a message, from the lines up to its first that is not
 * blank.
 *
 * The kernel decides with the names of its magics. Here, as in a message file, any `%name` counts
 * as one.
 */
export function isPrompt(source: string, bare: BareCell): boolean {
  const opening = openingOf(source);
  return opening === undefined ? bare === 'message' : opening === '%%msg';
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
export function mimeTypeOf(
  source: string,
  asProse: boolean,
  bare: BareCell
): string {
  if (isPrompt(source, bare)) {
    return asProse ? MESSAGE : PLAIN;
  }
  if (bare === 'python') {
    // As in all notebooks of Python, whatever the magic.
    return PYTHON;
  }
  // A name alone may be unfinished: it is completed like a message.
  const magic = /^\s*%%(\S+)\s/.exec(source)?.[1];
  if (magic === undefined) {
    return PLAIN;
  }
  return Object.hasOwn(LANGUAGES, magic) ? LANGUAGES[magic] : PYTHON;
}

/** Return the language of the code after a cell magic, if a list of kinds has it; null for others. */
export function languageOf(magic: string): 'python' | 'shell' | null {
  if (!Object.hasOwn(LANGUAGES, magic)) {
    return 'python';
  }
  return LANGUAGES[magic] === 'text/x-sh' ? 'shell' : null;
}

/** Return whether a MIME type is that of code, neither of a prompt nor of a magic alone. */
export function isCodeMimeType(mimeType: string): boolean {
  return mimeType !== PLAIN && mimeType !== MESSAGE;
}

/** Characters of a source that are looked at. */
const ENOUGH = 1000;

/**
 * Keeps the language of a cell's editor: Markdown in a prompt, Python below `%%python`.
 *
 * JupyterLab gives all code cells of a notebook the language of its kernel, when the cell is made and
 * when the kernel has told its language.
 */
export class CellLanguage {
  constructor(
    private readonly _cell: CodeCell,
    /** Returns what a bare cell is; null for no chat, whose cells are left as they are. */
    private readonly _bareCell: () => BareCell | null,
    /** Returns whether prompts are shown as messages. */
    private readonly _asProse: () => boolean
  ) {
    this._cell.disposed.connect(() => Signal.clearData(this));
    this._cell.model.contentChanged.connect(this.update, this);
    this._cell.model.mimeTypeChanged.connect(this.update, this);
    this.update();
  }

  /** Look again at what the cell holds. */
  update(): void {
    const { isDisposed, model } = this._cell;
    const bare = this._bareCell();
    if (!isDisposed && bare !== null) {
      const source = model.sharedModel.getSource().slice(0, ENOUGH);
      model.mimeType = mimeTypeOf(source, this._asProse(), bare);
    }
  }
}

/**
 * Say in an empty message what can be written there.
 *
 * @param isOn - Returns whether the notebook is a chat; in others the style sheet hides the words.
 */
export function promptPlaceholder(
  trans: TranslationBundle,
  isOn: () => boolean
): Extension {
  const words = trans.__(
    'Write a message. Shift+Enter sends it. `@[` adds files, `%1` runs code.',
    // Two percent signs of a text are one.
    '%%python'
  );
  return [
    placeholder(() =>
      element('span', 'msgbook-Placeholder', ...withCodeSpans(words))
    ),
    EditorView.contentAttributes.of(({ state }) =>
      isOn() && state.doc.length === 0
        ? { 'aria-placeholder': words.replace(/`/g, '') }
        : null
    )
  ];
}

/** What stands for something else in a prompt. */
export interface ITag {
  readonly from: number;
  readonly to: number;
}

// A reference to a file or a call of a tool, whose arguments may hold brackets; a macro.
const TAG =
  /(\\?)(@\[(?:[^[\]{}\n]|\{[^\n]*?\}(?=\])|\[[^[\]\n]*\]|\{\{[^{}\n]*\}\})*\]|\{\{[^{}\n]+\}\})/g;

/**
 * Return the references and macros of one line, in order.
 *
 * What is sent is decided by the kernel; this only says where a prompt is coloured and explained.
 */
export function tagsOf(line: string): ITag[] {
  return Array.from(line.matchAll(TAG))
    .filter(match => match[1] === '')
    .map(match => ({ from: match.index, to: match.index + match[0].length }));
}
