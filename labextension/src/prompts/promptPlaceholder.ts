import { EditorView, placeholder } from '@codemirror/view';
import type { Extension } from '@codemirror/state';
import type { TranslationBundle } from '@jupyterlab/translation';

import { element, withCodeSpans } from '../render/dom';

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
