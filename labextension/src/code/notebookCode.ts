import {
  Dialog,
  InputDialog,
  type ISessionContextDialogs,
  Notification,
  showDialog
} from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { findFile, pathBeside } from '../files/beside';
import { errorText, visible } from '../turn/text';
import {
  activateCell,
  type INewCell,
  insertCell,
  runCell
} from '../live/documentChanges';

/** What the code toolbar does with code of an answer. */
export interface ICodeActions {
  canInsert(): boolean;
  canRun(code: ICode): boolean;
  /** Insert a cell with the code that `node` shows below its cell, and run it if asked and seen. */
  insert(node: HTMLElement, code: ICode, run: boolean): Promise<void>;
  save(code: ICode): Promise<void>;
}

/** The code of a notebook's answers. */
export class NotebookCode implements ICodeActions {
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _contents: Contents.IManager,
    private readonly _trans: TranslationBundle,
    private readonly _dialogs: ISessionContextDialogs | undefined,
    private readonly _isBare: () => boolean
  ) {}

  canInsert(): boolean {
    return this._panel.content.model?.readOnly === false;
  }

  canRun(code: ICode): boolean {
    return this.canInsert() && canRun(code, this._language);
  }

  async insert(node: HTMLElement, code: ICode, run: boolean): Promise<void> {
    const { content: notebook } = this._panel;
    // A person who presses "run" has judged what was seen then.
    const unseen = run ? this._unseen(node, code) : null;
    const above = notebook.widgets.findIndex(cell => cell.node.contains(node));
    if (above === -1 || notebook.model === null) {
      return;
    }
    insertCell(notebook.model, above + 1, cellOf(code, this._language));
    activateCell(notebook, above + 1);
    notebook.mode = 'command';
    notebook.activate();
    const made = notebook.widgets[above + 1];
    await notebook.scrollToItem(above + 1, 'smart');
    if (!run || made.isDisposed) {
      return;
    }
    if (unseen !== null) {
      Notification.warning(unseen, { autoClose: false });
      return;
    }
    await runCell(this._panel, made, this._dialogs);
  }

  /** Return why the code does not run by a button, in words; null if all of it is seen. */
  private _unseen(node: HTMLElement, code: ICode): string | null {
    if (!isSeen(code)) {
      return this._trans.__(
        'The code has characters that cannot be seen, or wide gaps. It was inserted but not run: look at the cell and run it yourself.'
      );
    }
    return isInView(node)
      ? null
      : this._trans.__(
          'Part of the code was out of sight. It was inserted but not run: look at the cell and run it yourself.'
        );
  }

  async save(code: ICode): Promise<void> {
    const trans = this._trans;
    try {
      const path = await this._askPath(code);
      if (path === null || !(await this._mayWrite(path))) {
        return;
      }
      const content = `${code.text}\n`;
      await this._contents.save(path, {
        type: 'file',
        format: 'text',
        content
      });
      Notification.success(
        trans.__('The code is saved in %1.', visible(path)),
        {
          autoClose: 5000
        }
      );
    } catch (error) {
      Notification.error(
        trans.__('The code is not saved: %1', visible(errorText(error))),
        { autoClose: false }
      );
    }
  }

  private async _askPath(code: ICode): Promise<string | null> {
    const trans = this._trans;
    const { button, value } = await InputDialog.getText({
      title: trans.__('Save the Code as a File'),
      label: trans.__('Path from the folder of the notebook'),
      text: fileNameOf(code),
      okLabel: trans.__('Save'),
      required: true
    });
    const name = value?.trim() ?? '';
    return button.accept && name !== ''
      ? pathBeside(this._contents, this._panel.context.path, name)
      : null;
  }

  private async _mayWrite(path: string): Promise<boolean> {
    const trans = this._trans;
    const found = await findFile(this._contents, path);
    if (found === null) {
      return true;
    }
    if (found.type === 'directory') {
      throw new Error(trans.__('%1 is a folder. Choose another name.', path));
    }
    const { button } = await showDialog({
      title: trans.__('Replace the File?'),
      body: trans.__('%1 exists. Its content would be lost.', visible(path)),
      buttons: [
        Dialog.cancelButton(),
        Dialog.warnButton({ label: trans.__('Replace') })
      ]
    });
    return button.accept;
  }

  /** What a code cell holds without a magic; empty where that is a message. */
  private get _language(): string {
    return this._isBare()
      ? ''
      : (this._panel.content.model?.defaultKernelLanguage ?? '').toLowerCase();
  }
}

/** Columns to the next stop of a tab, as browsers show it. */
const TAB = 8;

/** Columns of blanks within a line after which nobody expects more of it. */
const WIDEST_GAP = 60;

/** Empty lines after which nobody expects more code. */
const TALLEST_GAP = 10;

/** Marks that stand on one letter, more than any script needs; they cover what is above and below. */
const PILE = /\p{M}{5}/u;

/** Return whether code shows all that it holds: nothing is invisible, covered or far from the rest. */
export function isSeen({ text }: ICode): boolean {
  const lines = text.trimEnd().split('\n');
  return (
    visible(text) === text &&
    !PILE.test(text) &&
    lines.every(line => widestGap(line) <= WIDEST_GAP) &&
    mostEmptyLines(lines) <= TALLEST_GAP
  );
}

/** Return the columns of the widest blank that stands before something. */
function widestGap(line: string): number {
  let column = 0;
  let start = 0;
  let widest = 0;
  for (const character of line) {
    if (character === '\t') {
      column += TAB - (column % TAB);
    } else {
      column += 1;
      if (character !== ' ') {
        widest = Math.max(widest, column - 1 - start);
        start = column;
      }
    }
  }
  return widest;
}

function mostEmptyLines(lines: readonly string[]): number {
  let empty = 0;
  let most = 0;
  for (const line of lines) {
    empty = line.trim() === '' ? empty + 1 : 0;
    most = Math.max(most, empty);
  }
  return most;
}

/** Pixels by which layouts are rounded. */
const ROUNDED = 2;

/**
 * Return whether all of an element is in sight at once: it reaches neither beyond the window nor
 * beyond a box that cuts it off, and nothing in it has to be scrolled.
 */
export function isInView(element: HTMLElement): boolean {
  const shown = element.getBoundingClientRect();
  const fits = (box: Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>) =>
    shown.left >= box.left - ROUNDED &&
    shown.top >= box.top - ROUNDED &&
    shown.right <= box.right + ROUNDED &&
    shown.bottom <= box.bottom + ROUNDED;
  const { innerWidth: right, innerHeight: bottom } = window;
  if (isCut(element) || !fits({ left: 0, top: 0, right, bottom })) {
    return false;
  }
  // What the body cuts off is the window's affair: it can have no height at all.
  for (
    let box = element.parentElement;
    box !== null && box !== document.body;
    box = box.parentElement
  ) {
    if (cutsOff(box) && !fits(box.getBoundingClientRect())) {
      return false;
    }
  }
  return true;
}

function isCut(element: HTMLElement): boolean {
  return (
    element.scrollWidth > element.clientWidth + ROUNDED ||
    element.scrollHeight > element.clientHeight + ROUNDED
  );
}

function cutsOff(box: Element): boolean {
  const { overflowX, overflowY } = getComputedStyle(box);
  return ![overflowX, overflowY].every(o => o === 'visible' || o === '');
}

/** Code as an answer shows it. */
export interface ICode {
  readonly text: string;
  /** First word of its fence in small letters; empty if there is none. */
  readonly language: string;
}

/** The magic that runs code of a language, without percent signs. */
const MAGICS: Readonly<Record<string, string>> = {
  python: 'python',
  python3: 'python',
  py: 'python',
  bash: 'bash',
  shell: 'bash',
  sh: 'sh',
  html: 'html',
  svg: 'svg',
  javascript: 'javascript',
  js: 'javascript',
  latex: 'latex',
  perl: 'perl',
  ruby: 'ruby'
};

/** Endings of files whose language is called otherwise. */
const ENDINGS: Readonly<Record<string, string>> = {
  python: 'py',
  python3: 'py',
  bash: 'sh',
  shell: 'sh',
  javascript: 'js',
  typescript: 'ts',
  markdown: 'md',
  rust: 'rs',
  ruby: 'rb',
  perl: 'pl',
  latex: 'tex',
  yaml: 'yml',
  'c++': 'cpp',
  csharp: 'cs',
  kotlin: 'kt',
  text: 'txt',
  plaintext: 'txt'
};

function magicOf({ language }: ICode): string | undefined {
  return Object.hasOwn(MAGICS, language) ? MAGICS[language] : undefined;
}

/** Return whether a cell can run the code in a notebook, whose own language is empty in a chat. */
export function canRun(code: ICode, notebookLanguage: string): boolean {
  const isOwn = code.language !== '' && code.language === notebookLanguage;
  return isOwn || magicOf(code) !== undefined;
}

/**
 * Return a cell with exactly the code: code if a cell can run it, else a note.
 *
 * @param notebookLanguage - What a code cell holds without a magic; empty in a chat.
 */
export function cellOf(code: ICode, notebookLanguage: string): INewCell {
  const magic = magicOf(code);
  if (!canRun(code, notebookLanguage)) {
    return { cell_type: 'markdown', source: fenced(code) };
  }
  const isOwn = (magic ?? code.language) === notebookLanguage;
  const source = isOwn ? code.text : `%%${magic}\n${code.text}`;
  return { cell_type: 'code', source };
}

/** Return code as a block of Markdown, which nothing in it can end. */
export function fenced({ text, language }: ICode): string {
  const runs = Array.from(text.matchAll(/`+/g), ([run]) => run.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Return a name to propose for a file with the code. */
export function fileNameOf({ language }: ICode): string {
  const known = Object.hasOwn(ENDINGS, language) ? ENDINGS[language] : language;
  return `code.${/^[a-z0-9]{1,10}$/.test(known) ? known : 'txt'}`;
}

/** Return the code that an element shows, without the line feed at its end. */
export function codeIn(pre: Element): ICode {
  const code = pre.querySelector('code') ?? pre;
  const name = Array.from(code.classList).find(one =>
    one.startsWith('language-')
  );
  return {
    text: (code.textContent ?? '').replace(/\n$/, ''),
    language: (name ?? '').slice('language-'.length).toLowerCase()
  };
}
