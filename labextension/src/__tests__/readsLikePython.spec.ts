// The parser by which JupyterLab colours Python.
import { parser } from '@lezer/python';
import { readsLikePython } from '../prompts/readsLikePython';

it.each([
  'import pandas',
  'from os import path',
  'x = 1',
  'total: int = 3',
  'x = 1; y = 2',
  'a, b = f(c)',
  'df["a"] = 1',
  'count += 1',
  'print(x)',
  'plot("a")',
  'plot(x, width=3)',
  'df.head()',
  'await client.get(url)',
  'df\ndf.plot()',
  'def f(x):\n    return x',
  '@cached\ndef f(x): ...',
  'for x in y:\n    print(x)',
  'try:\n    run()\nexcept ValueError:\n    pass',
  '# Load it\ndata = load("a.csv")',
  '变量 = 1'
])('takes %j for Python', source => {
  expect(readsLikePython(source, parser)).toBe(true);
});

it.each([
  '',
  'Hello',
  'hello world',
  'yes, no',
  'continue',
  'pass',
  'del this',
  'print results',
  'note: yes',
  'Summary:',
  'Thanks (again)',
  'f(x)',
  'if x: y',
  'with love: me',
  '1 + 1',
  '1. one\n2. two',
  '- a\n- b',
  '# Title',
  '"quoted"',
  'df',
  'df.shape',
  'x = ',
  'x = 1\nWhat is x?',
  'What does `x = 1` do?',
  '```python\nx = 1\n```',
  '@[data.csv] x = 1',
  'Explain this: x = 1',
  'import the data',
  'for example: yes',
  '你好'
])('takes %j for a message', source => {
  expect(readsLikePython(source, parser)).toBe(false);
});

it('does not parse a long text', () => {
  const parse = jest.fn();
  expect(readsLikePython('x = 1\n'.repeat(10_000), { parse })).toBe(false);
  expect(parse).not.toHaveBeenCalled();
});
