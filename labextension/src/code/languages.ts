import type { INewCell } from '../live/newCell';

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

function fenced({ text, language }: ICode): string {
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
