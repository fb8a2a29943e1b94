import { EditorView } from '@codemirror/view';
import { PromiseDelegate } from '@lumino/coreutils';

import { autoComplete, openListSoon } from '../prompts/autoComplete';

let view: EditorView;
let opened: (() => boolean)[];

beforeEach(() => {
  opened = [];
  view = new EditorView({
    parent: document.body,
    extensions: autoComplete(
      () => true,
      isWanted => opened.push(isWanted)
    )
  });
  view.focus();
});

afterEach(() => view.destroy());

function type(text: string): Promise<void> {
  const from = view.state.doc.length;
  view.dispatch({
    changes: { from, insert: text },
    selection: { anchor: from + text.length },
    userEvent: 'input.type'
  });
  return new Promise(resolve => window.setTimeout(resolve));
}

test('a list is wanted until the person goes on', async () => {
  await type('%');
  expect(opened).toHaveLength(1);
  const [isWanted] = opened;
  expect(isWanted()).toBe(true);
  await type('%msg');
  expect(isWanted()).toBe(false);
});

test('a list is not wanted in an editor that is left', async () => {
  await type('%');
  view.contentDOM.blur();
  expect(opened[0]()).toBe(false);
});

test.each([
  [true, 2],
  [false, 1]
])(
  'a list is asked for again when the session is there: %s',
  async (isWanted, count) => {
    const ready = new PromiseDelegate<void>();
    const open = jest.fn();
    openListSoon(
      { isReady: false, ready: ready.promise },
      open,
      () => isWanted
    );
    expect(open).toHaveBeenCalledTimes(1);
    ready.resolve();
    await new Promise(resolve => window.setTimeout(resolve));
    await new Promise(resolve => window.setTimeout(resolve));
    expect(open).toHaveBeenCalledTimes(count);
  }
);

test('a list is asked for once where the session is there', async () => {
  const open = jest.fn();
  openListSoon({ isReady: true, ready: Promise.resolve() }, open, () => true);
  await new Promise(resolve => window.setTimeout(resolve));
  expect(open).toHaveBeenCalledTimes(1);
});
