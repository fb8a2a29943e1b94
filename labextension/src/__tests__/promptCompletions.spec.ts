import type {
  CompletionHandler,
  ICompletionContext
} from '@jupyterlab/completer';

import { PromptCompletions, withoutTokens } from '../prompts/promptCompletions';

function offered(
  name: string,
  type?: string
): Promise<CompletionHandler.ICompletionItem> {
  return reply(name, type).then(({ items }) => items[0]);
}

function reply(
  name: string,
  type?: string
): Promise<CompletionHandler.ICompletionItemsReply> {
  const content = {
    status: 'ok',
    matches: [name],
    cursor_start: 0,
    cursor_end: 0,
    metadata:
      type === undefined
        ? {}
        : { _jupyter_types_experimental: [{ text: name, type }] }
  };
  const kernel = { requestComplete: () => Promise.resolve({ content }) };
  const completions = new PromptCompletions(() => kernel as never, {
    patience: () => 1000,
    open: () => undefined
  });
  return completions.fetch({ text: '', offset: 0 }, {} as ICompletionContext);
}

it('a name is shown as it is', async () => {
  const { label, insertText } = await offered('data.csv');
  expect([label, insertText]).toEqual(['data.csv', 'data.csv']);
});

it('a long name is cut in the list and inserted whole', async () => {
  const name = `${'a'.repeat(5000)}.csv`;
  const { label, insertText } = await offered(name);
  expect(label).toBe(`${'a'.repeat(99)}…`);
  expect(insertText).toBe(name);
});

it('characters that cannot be seen are written out in the list alone', async () => {
  const name = 'a\u202egpj.exe';
  const { label, insertText } = await offered(name);
  expect([label, insertText]).toEqual(['a\\u202egpj.exe', name]);
});

it('a cell is shown by its number and words, and found by them and by its id', async () => {
  const type =
    'cell:\u00a0[7]\u00a0Plot\u00a0f(x)\u2060:\u00a0why\u2060?\u2060';
  const { start, items } = await reply('cell:5fb8acd8', type);
  const [{ label, insertText }] = items;
  expect([label, insertText]).toEqual([
    '[7] Plot f\uff08x\uff09: why? · 5fb8acd8',
    '5fb8acd8'
  ]);
  // What is typed behind `cell:` is searched for.
  expect(start).toBe('cell:'.length);
});

it('a cell of another notebook is shown and found in the same way', async () => {
  const type = 'cell:\u00a0[2]\u00a0plot';
  const { start, items } = await reply('an.ipynb:cell:#2', type);
  const [{ label, insertText }] = items;
  expect([label, insertText]).toEqual(['[2] plot · #2', '#2']);
  expect(start).toBe('an.ipynb:cell:'.length);
});

it('what JupyterLab inserts stays what it is when a match is explained', async () => {
  const completions = new PromptCompletions(() => null, {
    patience: () => 1000,
    open: () => undefined
  });
  const name = 'py:frame';
  const item = { label: name, insertText: name };
  const context = {} as ICompletionContext;

  // Behind `py:`, as a match of another provider begins only there.
  const patch = { start: 5, end: 8, value: 'frame' };
  expect((await completions.resolve(item, context, patch)).insertText).toBe(
    'frame'
  );
  expect((await completions.resolve(item, context)).insertText).toBe(
    'py:frame'
  );
});

it('a prompt has no tokens that could complete a message, code has', () => {
  const token = { value: '[', offset: 0 };
  const editor = {
    model: { mimeType: 'text/x-ipythongfm' },
    getTokens: () => [token]
  };
  let isChat = true;
  withoutTokens(editor as never, () => isChat);

  expect(editor.getTokens()).toEqual([]);
  editor.model.mimeType = 'text/x-ipython';
  expect(editor.getTokens()).toEqual([token]);
  editor.model.mimeType = 'text/plain';
  expect(editor.getTokens()).toEqual([]);
  isChat = false;
  expect(editor.getTokens()).toEqual([token]);
});
