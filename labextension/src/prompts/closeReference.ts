import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

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
 * Return whether a text that was taken from a list ends a reference.
 *
 * @returns `unsure` if it does only if it was chosen: Tab writes what several names begin with.
 */
export function endsReference(
  offered: readonly IOffered[],
  insertText: string
): boolean | 'unsure' {
  const found = offered.find(one => one.insertText === insertText);
  if (found === undefined || !ENDS.has(found.kind)) {
    return false;
  }
  const longer = offered.some(
    one => one !== found && one.insertText.startsWith(insertText)
  );
  return longer ? 'unsure' : true;
}

/**
 * Return what is to be done with the bracket.
 *
 * @param line - With the completed name before the cursor.
 */
export function bracketOf(line: string, cursor: number): Bracket {
  const content = /@\[([^\]]*)$/.exec(line.slice(0, cursor))?.[1];
  if (content === undefined) {
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

/** Close the reference whose name was just completed, and put the cursor behind it. */
export function closeReference(view: EditorView): void {
  const { head, empty } = view.state.selection.main;
  const bracket = empty ? bracketAt(view.state, head) : null;
  if (bracket !== null) {
    view.dispatch({
      ...(bracket === 'insert' ? { changes: { from: head, insert: ']' } } : {}),
      selection: { anchor: head + 1 },
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
