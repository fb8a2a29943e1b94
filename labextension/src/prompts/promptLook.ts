import { syntaxTree } from '@codemirror/language';
import {
  type EditorState,
  type Extension,
  Facet,
  RangeSetBuilder,
  StateEffect,
  type Text
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate
} from '@codemirror/view';
import type { BareCell } from '../comm/ourKernels';
import { isPrompt, tagsOf } from './promptKind';

/** Characters of a first line that are looked at. */
const ENOUGH = 1000;

/** Characters of a line in which references are coloured. */
const LONGEST_LINE = 10_000;

const TAG = Decoration.mark({ class: 'msgbook-Prompt-tag' });
const CODE = Decoration.mark({ class: 'msgbook-Prompt-code' });
const CODE_LINE = Decoration.line({ class: 'msgbook-Prompt-codeLine' });
const MSG_LINE = Decoration.line({ class: 'msgbook-Prompt-msgLine' });

/** Returns what a bare cell of the editor's notebook is; null for no chat, and in other editors. */
export const bareCells = Facet.define<
  () => BareCell | null,
  () => BareCell | null
>({ combine: ([first]) => first ?? (() => null) });

/** Says that the notebook of an editor may have become a chat of another kind. */
export const kindChanged = StateEffect.define<void>();

/** Return whether a cell with this text is a message in an editor of a chat. */
export function holdsPrompt(state: EditorState): boolean {
  const bare = state.facet(bareCells)() ?? 'message';
  return isPrompt(beginningOf(state.doc), bare);
}

/** Marks an editor that holds a prompt, and what in it is not prose, for the style sheet. */
export const promptLook: Extension = [
  EditorView.perLineTextDirection.of(true),
  EditorView.editorAttributes.of(view =>
    holdsPrompt(view.state) ? { class: 'msgbook-Prompt' } : null
  ),
  ViewPlugin.define(
    view => {
      const plugin = {
        decorations: decorations(view),
        update: (update: ViewUpdate) => {
          const parsed =
            syntaxTree(update.startState) !== syntaxTree(update.state);
          const isOther = update.transactions.some(({ effects }) =>
            effects.some(effect => effect.is(kindChanged))
          );
          if (
            update.docChanged ||
            update.viewportChanged ||
            parsed ||
            isOther
          ) {
            plugin.decorations = decorations(update.view);
          }
        }
      };
      return plugin;
    },
    { decorations: plugin => plugin.decorations }
  )
];

/** Return the blank lines at the beginning of a text and the first that is not blank. */
function beginningOf(doc: Text): string {
  let seen = 0;
  for (const line of doc.iterLines()) {
    if (line.trim() !== '') {
      return line.slice(0, ENOUGH);
    }
    seen += 1;
    if (seen > ENOUGH) {
      break;
    }
  }
  return '';
}

interface ISpan {
  readonly from: number;
  readonly to: number;
  readonly look: Decoration;
}

function decorations(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  if (!holdsPrompt(view.state)) {
    return builder.finish();
  }
  for (const { from, to } of view.visibleRanges) {
    const code = codeIn(view.state, from, to);
    let spans = [...code];
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      spans = spans.concat(tagSpans(line, code), msgLine(line));
      at = line.to + 1;
    }
    spans.sort(
      (a, b) =>
        a.from - b.from || a.look.startSide - b.look.startSide || a.to - b.to
    );
    spans.forEach(span => builder.add(span.from, span.to, span.look));
  }
  return builder.finish();
}

/** Return the code of a part of a prompt: lines of blocks, and spans. */
function codeIn(state: EditorState, from: number, to: number): ISpan[] {
  const spans: ISpan[] = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter: ({ name, from: start, to: end }) => {
      if (name === 'InlineCode') {
        spans.push({ from: start, to: end, look: CODE });
        return false;
      }
      if (name !== 'FencedCode' && name !== 'CodeBlock') {
        return true;
      }
      for (let at = Math.max(start, from); at <= Math.min(end, to);) {
        const line = state.doc.lineAt(at);
        spans.push({ from: line.from, to: line.from, look: CODE_LINE });
        at = line.to + 1;
      }
      return false;
    }
  });
  return spans;
}

interface ILine {
  readonly from: number;
  readonly text: string;
}

/** Return the references and macros of a line that are not in code. */
function tagSpans({ from, text }: ILine, code: readonly ISpan[]): ISpan[] {
  if (
    text.length > LONGEST_LINE ||
    code.some(one => one.look === CODE_LINE && one.from === from)
  ) {
    return [];
  }
  return tagsOf(text)
    .map(tag => ({ from: from + tag.from, to: from + tag.to, look: TAG }))
    .filter(tag => !code.some(one => one.from < tag.to && tag.from < one.to));
}

function msgLine({ from, text }: ILine): ISpan[] {
  return /^\s*%%msg\b/.test(text) ? [{ from, to: from, look: MSG_LINE }] : [];
}
