import type {
  CompletionHandler,
  ICompletionContext
} from '@jupyterlab/completer';

import { PromptCompletions } from '../prompts/promptCompletions';

function offered(name: string): Promise<CompletionHandler.ICompletionItem> {
  const content = {
    status: 'ok',
    matches: [name],
    cursor_start: 0,
    cursor_end: 0,
    metadata: {}
  };
  const kernel = { requestComplete: () => Promise.resolve({ content }) };
  const completions = new PromptCompletions(() => kernel as never, {
    patience: () => 1000,
    open: () => undefined
  });
  return completions
    .fetch({ text: '', offset: 0 }, {} as ICompletionContext)
    .then(({ items }) => items[0]);
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
