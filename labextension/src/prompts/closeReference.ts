import {
  StateEffect,
  StateField,
  type EditorState,
  type Extension
} from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** Kinds of completions that end a reference; folders, tools and beginnings go on. */
const ENDS: ReadonlySet<string> = new Set(['file', 'name', 'cell']);

/** What is to be done with the bracket of a reference whose name was just completed. */
type Bracket = 'insert' | 'step over' | null;

/** A completion that was offered. */
export interface IOffered {
  readonly kind: string;
  readonly insertText: string;
}

/**
 * Return whether what stands in a reference up to the cursor is a name that was offered, and ends it.
 *
 * @param content - The list may insert its end only.
 * @returns `unsure` if it does only if it was chosen: Tab writes what several names begin with.
 */
export function endsReference(
  offered: readonly IOffered[],
  content: string
): boolean | 'unsure' {
  const names = offered.map(({ kind, insertText }) =>
    kind === 'cell' ? `cell:${insertText}` : insertText
  );
  // The cell of another notebook follows its path.
  const written = content.replace(/^.+\.ipynb:(?=cell:)/i, '');
  const index = names.indexOf(written);
  if (index === -1 || !ENDS.has(offered[index].kind)) {
    return false;
  }
  const longer = names.some(
    (name, other) => other !== index && name.startsWith(written)
  );
  return longer ? 'unsure' : true;
}

/** Return what stands in the open reference at the cursor, up to there; undefined outside of one. */
export function contentAt({ doc, selection }: EditorState): string | undefined {
  const { head } = selection.main;
  const line = doc.lineAt(head);
  return openContent(line.text.slice(0, head - line.from));
}

function openContent(before: string): string | undefined {
  return /@\[([^\]]*)$/.exec(before)?.[1];
}

/**
 * Return what is to be done with the bracket.
 *
 * @param line - With the completed name before the cursor.
 */
export function bracketOf(line: string, cursor: number): Bracket {
  if (openContent(line.slice(0, cursor)) === undefined) {
    return null;
  }
  const rest = line.slice(cursor);
  if (rest.startsWith(']')) {
    return 'step over';
  }
  return closes(rest) && !/^\s/.test(rest) ? null : 'insert';
}

/** Return whether a text has a closing bracket without an opening one. */
function closes(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    depth += character === '[' ? 1 : character === ']' ? -1 : 0;
    if (depth < 0) {
      return true;
    }
  }
  return false;
}

const setClosed = StateEffect.define<number | null>();

/** The place of the bracket behind the name that was completed last. */
const closedAt = StateField.define<number | null>({
  create: () => null,
  update: (at, { changes, effects }) => {
    const set = effects.find(one => one.is(setClosed));
    return set !== undefined
      ? set.value
      : at === null
        ? null
        : changes.mapPos(at, 1);
  }
});

/**
 * Let a person go on behind a bracket that was closed for them: one that they write, too, is not
 * written twice, and the lines in `@[a.py]:10` move into the reference.
 */
export const closedReferences: Extension = [
  closedAt,
  EditorView.inputHandler.of((view, from, to, text) => {
    const at = view.state.field(closedAt);
    if (at === null || from !== to || view.state.sliceDoc(at, at + 1) !== ']') {
      return false;
    }
    if (text === ']' && (from === at || from === at + 1)) {
      view.dispatch({
        selection: { anchor: at + 1 },
        effects: setClosed.of(null),
        userEvent: 'select'
      });
      return true;
    }
    const isLine = /^\d$/.test(text) && from === at + 2 && isFileAt(view, at);
    if (!isLine || view.state.sliceDoc(at, from) !== ']:') {
      return false;
    }
    view.dispatch({
      changes: { from: at, to: from, insert: `:${text}]` },
      selection: { anchor: at + 2 },
      effects: setClosed.of(at + 2),
      userEvent: 'input.type'
    });
    return true;
  })
];

/** Return whether the reference that ends at a place names a file, which has lines. */
function isFileAt({ state }: EditorView, at: number): boolean {
  const line = state.doc.lineAt(at);
  return /@\[(?!cell:|py:)[^\]]*$/.test(line.text.slice(0, at - line.from));
}

/** Close the reference whose name was just completed, and put the cursor behind it. */
export function closeReference(view: EditorView): void {
  const { head, empty } = view.state.selection.main;
  const bracket = empty ? bracketAt(view.state, head) : null;
  if (bracket !== null) {
    view.dispatch({
      ...(bracket === 'insert' ? { changes: { from: head, insert: ']' } } : {}),
      selection: { anchor: head + 1 },
      effects: setClosed.of(head),
      userEvent: 'input.complete'
    });
  }
}

/** Close the reference if its name was chosen: the list is closed then, and nothing was written since. */
export function closeIfChosen(view: EditorView, isOpen: () => boolean): void {
  const { state } = view;
  // JupyterLab hides its list in a task of its own.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const isSame =
        view.state.doc.eq(state.doc) &&
        view.state.selection.eq(state.selection);
      if (isSame && !isOpen()) {
        closeReference(view);
      }
    })
  );
}

function bracketAt(state: EditorState, head: number): Bracket {
  const line = state.doc.lineAt(head);
  return bracketOf(line.text, head - line.from);
}
