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

/** Open the list of completions while a person types, or has chosen the beginning of a longer one. */
export function autoComplete(
  isOn: () => boolean,
  openList: () => void
): Extension {
  return EditorView.updateListener.of(update => {
    if (!update.docChanged || !update.view.hasFocus || !isOn()) {
      return;
    }
    const { head, empty } = update.state.selection.main;
    const line = update.state.doc.lineAt(head);
    const before = line.text.slice(0, head - line.from);
    if (
      empty &&
      isWritten(update) &&
      opensList(before, holdsPrompt(update.state))
    ) {
      // JupyterLab's completer has to see the change first.
      window.setTimeout(openList);
    }
  });
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
