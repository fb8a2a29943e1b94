import { hoverTooltip, tooltips, type EditorView } from '@codemirror/view';
import type { Extension } from '@codemirror/state';

import { element } from '../render/dom';
import { controlsVisible } from '../turn/text';
import { holdsPrompt } from './promptLook';
import { tagsOf, type ITag } from './tags';

/**
 * Returns what the kernel says about a place of a text; null if it says nothing.
 *
 * @param offset - In code units.
 */
export type Inspect = (text: string, offset: number) => Promise<string | null>;

// Colours that IPython writes for terminals.
// eslint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[\d;]*m/g;

/** Show what a reference or a macro brings while the pointer is on it, as Shift+Tab does. */
export function promptHover(inspect: Inspect): Extension {
  return [
    // Cells clip what reaches out of them.
    tooltips({ parent: document.body }),
    hoverTooltip(async (view, pos) => {
      const tag = tagAt(view, pos);
      if (tag === null) {
        return null;
      }
      const text = view.state.doc.toString();
      // A kernel that cannot answer now shows nothing.
      const shown = await inspect(text, tag.from + 2).catch(() => null);
      return shown === null
        ? null
        : {
            pos: tag.from,
            end: tag.to,
            above: true,
            create: () => ({ dom: tooltip(shown) })
          };
    })
  ];
}

function tooltip(text: string): HTMLElement {
  const shown = controlsVisible(text.replace(COLOURS, ''));
  const node = element('div', 'msgbook-Hover', shown);
  node.setAttribute('role', 'tooltip');
  return node;
}

function tagAt(view: EditorView, pos: number): ITag | null {
  const line = view.state.doc.lineAt(pos);
  if (!holdsPrompt(view.state) || line.length > 10_000) {
    return null;
  }
  const at = pos - line.from;
  const tag = tagsOf(line.text).find(({ from, to }) => from <= at && at <= to);
  return tag === undefined
    ? null
    : { from: line.from + tag.from, to: line.from + tag.to };
}
