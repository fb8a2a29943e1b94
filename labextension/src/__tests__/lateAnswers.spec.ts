import type {
  CompletionHandler,
  ICompletionContext
} from '@jupyterlab/completer';
import { PromiseDelegate } from '@lumino/coreutils';
import { LateAnswers } from '../prompts/autoComplete';

type Reply = CompletionHandler.ICompletionItemsReply;

const FILE = 'data.csv';
const ANSWER: Reply = { start: 0, end: 2, items: [{ label: FILE }] };

/** A person with the cursor at the end of a text. */
class FakeEditor {
  text = '@[';
  isDisposed = false;
  isFocused = true;
  hasFocus = () => this.isFocused;
  getCursorPosition = () => ({ line: 0, column: this.text.length });
  getOffsetAt = ({ column }: { column: number }) => column;
  model = { sharedModel: { getSource: () => this.text } };
}

/** JupyterLab, which asks again when it is told to open the list. */
function page() {
  const editor = new FakeEditor();
  const place = { editor, widget: 'chat' } as unknown as ICompletionContext;
  const shown: Reply[] = [];
  const asked: PromiseDelegate<Reply>[] = [];
  const texts: string[] = [];
  const fetch = () => {
    const { text } = editor;
    return answers.fetch({ text, offset: [...text].length }, place, () => {
      const answer = new PromiseDelegate<Reply>();
      asked.push(answer);
      texts.push(text);
      return answer.promise;
    });
  };
  const answers = new LateAnswers({
    patience: () => 1000,
    open: () => void fetch().then(reply => shown.push(reply))
  });
  const come = async (number = 0, reply = ANSWER) => {
    asked[number].resolve(reply);
    await jest.advanceTimersByTimeAsync(0);
  };
  return { editor, shown, asked, texts, fetch, come };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('an answer that comes in time opens nothing', async () => {
  const { asked, come, fetch, shown } = page();
  void fetch();
  jest.advanceTimersByTime(999);
  await come();
  expect(shown).toEqual([]);
  expect(asked).toHaveLength(1);
});

it('an answer that comes late opens the list, and is not asked for again', async () => {
  const { asked, come, fetch, shown } = page();
  void fetch();
  jest.advanceTimersByTime(1000);
  await come();
  expect(shown).toEqual([ANSWER]);
  expect(asked).toHaveLength(1);
});

it('an answer that was shown is asked for again the next time', async () => {
  const { asked, come, fetch } = page();
  void fetch();
  jest.advanceTimersByTime(1000);
  await come();
  void fetch();
  expect(asked).toHaveLength(2);
});

it.each([
  ['has gone on', (editor: FakeEditor) => void (editor.text = '@[d e')],
  [
    'has written elsewhere',
    (editor: FakeEditor) => void (editor.text = 'a @[')
  ],
  ['has deleted it', (editor: FakeEditor) => void (editor.text = '@')],
  ['has left', (editor: FakeEditor) => void (editor.isFocused = false)],
  ['has closed it', (editor: FakeEditor) => void (editor.isDisposed = true)],
  [
    'has moved the cursor',
    (editor: FakeEditor) =>
      void (editor.getCursorPosition = () => ({ line: 0, column: 1 }))
  ]
])('nothing opens when the person %s', async (_, goOn) => {
  const { come, editor, fetch, shown } = page();
  void fetch();
  jest.advanceTimersByTime(1000);
  goOn(editor);
  await come();
  expect(shown).toEqual([]);
});

it.each([0, 1000])(
  'an answer of %d ms is asked for again when the person has written on in the word',
  async delay => {
    const { come, editor, fetch, shown, texts } = page();
    editor.text = '😀 @[';
    void fetch();
    jest.advanceTimersByTime(delay);
    editor.text = '😀 @[da';
    await come(0);
    editor.text = '😀 @[data';
    await come(1);
    expect(texts).toEqual(['😀 @[', '😀 @[da', '😀 @[data']);

    await come(2);
    expect(texts).toHaveLength(3);
    expect(shown).toHaveLength(2);
  }
);

it('nothing is asked for again that a person has asked for since', async () => {
  const { asked, come, editor, fetch } = page();
  void fetch();
  editor.text = '@[d';
  void fetch();
  await come(0);
  expect(asked).toHaveLength(2);
});

it('nothing opens without completions', async () => {
  const { come, fetch, shown } = page();
  void fetch();
  jest.advanceTimersByTime(1000);
  await come(0, { ...ANSWER, items: [] });
  expect(shown).toEqual([]);
});

it('only the answer to the last request opens the list', async () => {
  const { come, fetch, shown } = page();
  void fetch();
  void fetch();
  jest.advanceTimersByTime(1000);
  await come(0);
  expect(shown).toEqual([]);
  await come(1);
  expect(shown).toEqual([ANSWER]);
});
