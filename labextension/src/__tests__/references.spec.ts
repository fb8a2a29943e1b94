import { opensList } from '../prompts/autoComplete';
import { attachmentName, freeName, referenceTo } from '../prompts/references';

test.each([
  ['data.csv', '@[data.csv]'],
  ['../a b/data.csv', '@[../a b/data.csv]'],
  ['src/', '@[src/]'],
  ['plot.png', '![plot.png](plot.png)'],
  ['a b (1).png', '![a b (1).png](a%20b%20%281%29.png)'],
  ['50% [x] y.jpg', '![50% x y.jpg](50%25%20%5Bx%5D%20y.jpg)'],
  ['logo.svg', '@[logo.svg]'],
  ['a]b.csv', null],
  ['a:b.csv', null],
  ['a{b.csv', null],
  ['a\nb.csv', null]
])('the reference to %j is %j', (path, reference) => {
  expect(referenceTo(path)).toBe(reference);
});

test.each([
  ['image.png', 'image.png'],
  ['../../etc/passwd', 'passwd'],
  ['.env', 'env'],
  ['a b]:{.csv', 'a-b---.csv'],
  ['..', 'file'],
  ['', 'file']
])('the file %j is saved as %j', (name, saved) => {
  expect(attachmentName(name)).toBe(saved);
  expect(referenceTo(saved)).not.toBeNull();
});

test('a name that is taken gets a number', () => {
  expect(freeName('a.png', new Set())).toBe('a.png');
  expect(freeName('a.png', new Set(['a.png', 'a-2.png']))).toBe('a-3.png');
});

test.each([
  ['see @[', true, true],
  ['see @[', false, false],
  ['in {{', true, true],
  ['@[src/', true, true],
  ['@[cell:', true, true],
  ['@[a.py:', true, false],
  ['%', false, true],
  ['50%', true, false],
  ['%%msg agent=', true, true],
  ['%%msg history=exclude model=', true, true],
  ['it is agent=', true, false],
  ['%agent default ', false, true]
])(
  'after %j (in a prompt: %j) the list opens: %j',
  (before, inPrompt, opens) => {
    expect(opensList(before, inPrompt)).toBe(opens);
  }
);
