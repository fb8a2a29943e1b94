import type { ISessionContext } from '@jupyterlab/apputils';
import { Transaction, type Extension } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';

import { holdsPrompt } from './promptLook';

// After these, what can follow is known: the beginning of a reference or a macro, a folder in a
// reference, a value of a `%%msg` line.
const IN_PROMPT =
  /(?:@\[|\{\{|@\[[^\]\n:{]*\/|@\[(?:cell|py):|^\s*%%msg(?:\s.*)?\s(?:agent|model|history)=)$/;
const MAGIC = /^\s*%{1,2}$/;
const MAGIC_VALUE = /^\s*%(?:agent default|model) $/;

/** Return whether the list of completions opens by itself after `before`, the line up to the cursor. */
export function opensList(before: string, inPrompt: boolean): boolean {
  return (
    MAGIC.test(before) ||
    MAGIC_VALUE.test(before) ||
    (inPrompt && IN_PROMPT.test(before))
  );
}

/**
 * Open the list of completions while a person types, or has chosen the beginning of a longer one.
 *
 * @param openList - Opens the list; a later try is for a person who is still there.
 */
export function autoComplete(
  isOn: () => boolean,
  openList: (isWanted: () => boolean) => void
): Extension {
  return EditorView.updateListener.of(update => {
    const { docChanged, state, view } = update;
    if (docChanged && isOn() && isWritten(update) && wantsList(view)) {
      // JupyterLab's completer has to see the change first.
      window.setTimeout(() =>
        openList(() => view.state.doc.eq(state.doc) && wantsList(view))
      );
    }
  });
}

/**
 * Open the list of completions of a notebook, and try again when its session is there.
 *
 * Before that, JupyterLab may not know the editor yet and opens nothing.
 */
export function openListSoon(
  session: Pick<ISessionContext, 'isReady' | 'ready'>,
  open: () => void,
  isWanted: () => boolean
): void {
  open();
  if (!session.isReady) {
    void session.ready.then(() =>
      // JupyterLab takes the editor in tasks of its own.
      window.setTimeout(() => {
        if (isWanted()) {
          open();
        }
      })
    );
  }
}

/**
 * Close JupyterLab's list, if it is open: it would go on to filter what it has.
 *
 * It closes when a key is pressed outside of the editor, and has no other way for an extension.
 */
export function closeList(): void {
  document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Unidentified' })
  );
}

function wantsList({ hasFocus, state }: EditorView): boolean {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const before = line.text.slice(0, head - line.from);
  return hasFocus && empty && opensList(before, holdsPrompt(state));
}

/** Return whether a person wrote the change, or took it from the list; not if it was undone. */
function isWritten({ transactions }: ViewUpdate): boolean {
  return transactions.some(
    one =>
      one.isUserEvent('input.type') ||
      (one.selection !== undefined &&
        one.annotation(Transaction.userEvent) === undefined)
  );
}
