import {
  type EditorState,
  type Extension,
  Prec,
  StateEffect,
  StateField
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  WidgetType
} from '@codemirror/view';
import type { TranslationBundle } from '@jupyterlab/translation';
import { element } from '../render/dom';
import { bareCells, kindChanged } from './promptLook';

const focusChanged = StateEffect.define<boolean>();

interface IFold {
  readonly hasFocus: boolean;
  readonly decorations: DecorationSet;
}

const FIRST_LINE = /^%%python[^\S\n]*$/;

/** Fold the line `%%python` of a cell away, as long as the cursor is not in it. */
export function foldedFirstLine(trans: TranslationBundle): Extension {
  const line = Decoration.replace({
    widget: new FoldedLine(trans),
    block: true
  });
  const foldOf = (state: EditorState, hasFocus: boolean): IFold => ({
    hasFocus,
    decorations: isFolded(state, hasFocus)
      ? Decoration.set(line.range(0, state.doc.line(1).to))
      : Decoration.none
  });
  const field = StateField.define<IFold>({
    create: state => foldOf(state, false),
    update: (fold, { state, docChanged, selection, effects }) => {
      const focus = effects.find(effect => effect.is(focusChanged));
      const isOther = effects.some(effect => effect.is(kindChanged));
      return docChanged || selection || focus || isOther
        ? foldOf(state, focus?.value ?? fold.hasFocus)
        : fold;
    },
    provide: one => EditorView.decorations.from(one, fold => fold.decorations)
  });
  return [
    field,
    EditorView.focusChangeEffect.of((_, hasFocus) => focusChanged.of(hasFocus)),
    Prec.high(
      keymap.of([{ key: 'Backspace', run: view => enter(view, field) }])
    )
  ];
}

/** Return whether the first line is hidden: it says what the cell's look says as well. */
export function isFolded(state: EditorState, hasFocus: boolean): boolean {
  const { doc, selection } = state;
  const { text, to } = doc.line(1);
  return (
    doc.lines > 1 &&
    FIRST_LINE.test(text) &&
    state.facet(bareCells)() === 'message' &&
    !(hasFocus && selection.ranges.some(({ from }) => from <= to))
  );
}

/** Go into the hidden line in place of deleting its end unseen. */
function enter(view: EditorView, field: StateField<IFold>): boolean {
  const { doc, selection } = view.state;
  const { empty, head } = selection.main;
  const isHidden = view.state.field(field).decorations.size > 0;
  if (!isHidden || !empty || head !== doc.line(2).from) {
    return false;
  }
  view.dispatch({ selection: { anchor: doc.line(1).to } });
  return true;
}

class FoldedLine extends WidgetType {
  constructor(private readonly _trans: TranslationBundle) {
    super();
  }

  override eq(): boolean {
    return true;
  }

  override toDOM(): HTMLElement {
    const node = element('div', 'msgbook-FoldedLine', this._trans.__('Python'));
    // Two percent signs of a text are one.
    node.title = this._trans.__('Click to show the line %1', '%%python');
    return node;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
