import { EditorState } from '@codemirror/state';
import { EditorView, runScopeHandlers } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';
import type { BareCell } from '../comm/ourKernels';
import { foldedFirstLine, isFolded } from '../prompts/foldedLine';
import { bareCells } from '../prompts/promptLook';

const trans = nullTranslator.load('msgbook');

function editor(doc: string, anchor = 0, bare: BareCell | null = 'message') {
  const extensions = [bareCells.of(() => bare), foldedFirstLine(trans)];
  const state = EditorState.create({ doc, selection: { anchor }, extensions });
  return new EditorView({ state, parent: document.body });
}

const hides = (doc: string, hasFocus: boolean, anchor = 0) =>
  isFolded(editor(doc, anchor).state, hasFocus);

it.each([
  ['%%python\nx', true],
  ['%%python \nx', true],
  ['%%python', false],
  ['%%python -u\nx', false],
  ['\n%%python\nx', false],
  ['%%bash\nx', false],
  ['x\n%%python', false]
])('of %j the first line is hidden: %s', (doc, hidden) => {
  expect(hides(doc, false)).toBe(hidden);
});

it('is seen while the cursor is in it', () => {
  expect(hides('%%python\nx', true, 8)).toBe(false);
  expect(hides('%%python\nx', true, 9)).toBe(true);
});

it.each<BareCell | null>(['python', null])(
  'is seen in a notebook of %s, where it means something else',
  bare => {
    expect(isFolded(editor('%%python\nx', 9, bare).state, false)).toBe(false);
  }
);

it('stays in the text, and is named', () => {
  const view = editor('%%python\nx', 9);
  expect(view.contentDOM.textContent).toBe('Pythonx');
  expect(view.state.doc.toString()).toBe('%%python\nx');
});

it('Backspace behind it goes into it and deletes nothing', () => {
  const view = editor('%%python\nx', 9);
  const key = new KeyboardEvent('keydown', { key: 'Backspace' });
  expect(runScopeHandlers(view, key, 'editor')).toBe(true);
  expect(view.state.doc.toString()).toBe('%%python\nx');
  expect(view.state.selection.main.head).toBe(8);
});
