import { opensList } from '../prompts/autoComplete';
import { attachmentName, freeName, referenceTo } from '../prompts/attachments';

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
  ['a\nb.csv', null],
  ['a\u2028#define x y.csv', null],
  ['a\n#define x y\n.png', null],
  ['gpj\u202e.csv', null],
  ['\ud800.png', null],
  ['@{define x, y}.png', '![define x, y.png](%40%7Bdefine%20x%2C%20y%7D.png)'],
  ['{{x}} @a.csv `.png', '![x a.csv .png](%7B%7Bx%7D%7D%20%40a.csv%20%60.png)'],
  ['a](b.png', '![a(b.png](a%5D%28b.png)'],
  ['\u56fe.png', '![\u56fe.png](\u56fe.png)']
])('the reference to %j is %j', (path, reference) => {
  expect(referenceTo(path)).toBe(reference);
});

test.each([
  ['image.png', 'image.png'],
  ['../../etc/passwd', 'passwd'],
  ['.env', 'env'],
  ['a b]:{.csv', 'a-b---.csv'],
  ['a\ud800\u202e\u2028b.png', 'a---b.png'],
  ['a\u200b\u2060\u3164\u{e0041}b.png', 'a----b.png'],
  [`${'x'.repeat(5000)}.png`, `${'x'.repeat(196)}.png`],
  [`${'\u56fe'.repeat(5000)}.png`, `${'\u56fe'.repeat(65)}.png`],
  [`a.${'x'.repeat(5000)}`, `a.${'x'.repeat(198)}`],
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
