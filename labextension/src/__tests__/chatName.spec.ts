import { chatTitle, freeName, isUntitled } from '../files/chatName';

describe('the name that a message gives to its chat', () => {
  it.each<[string, string | null]>([
    [
      'Which trains go from Vienna to Graz?',
      'Which trains go from Vienna to Graz'
    ],
    ['\n\n  # Plan  the *big* party\nmore', 'Plan the big party'],
    ['> 1. **Read** this', 'Read this'],
    ['%%msg agent=critic\nIs this right?', 'Is this right'],
    ['Sum up @[data/trains.csv:1:20] for me', 'Sum up trains.csv 1 20 for me'],
    ['3 apples', '3 apples'],
    ['2.5 % of what', '2.5 of what'],
    ['数据框里有什么？', '数据框里有什么？'],
    ['Was heißt »Übermut«', 'Was heißt »Übermut«'],
    ['snake_case_names please', 'snake_case_names please'],
    // Paths and hidden names
    ['../../etc/passwd', 'etc passwd'],
    ['/root/.ssh/id_rsa', 'root .ssh id_rsa'],
    ['.bashrc', 'bashrc'],
    ['..', null],
    ['-rf /', 'rf'],
    ['C:\\Windows\\System32', 'C Windows System32'],
    ['a\0b\x07c\x1b[31md', 'a b c 31md'],
    // What deceives a reader
    ['invoice\u202Efdp.exe', 'invoice fdp.exe'],
    ['\u2066hidden\u2069 \u200Bword\uFEFF', 'hidden word'],
    ['\uD83D alone', 'alone'],
    ['one\u2028two', 'one'],
    ['tab\there\u00A0and\u3000there', 'tab here and there'],
    // Names that are not free
    ['CON', null],
    ['nul.txt', null],
    ['lpt1', null],
    ['untitled', null],
    ['Untitled3', null],
    ['Console', 'Console'],
    // What a shell would read
    ['$(reboot) `id` | cat > x; rm *', 'reboot id cat x rm'],
    ['what? "now"!', 'what now'],
    ['name.. .', 'name'],
    // Nothing to name it by
    ['', null],
    ['???', null],
    ['---\n\nAfter a line', 'After a line'],
    ['%%msg agent=x', null]
  ])('of %j is %j', (message, name) => {
    expect(chatTitle(message)).toBe(name);
  });

  it('is short, also in bytes, and ends with a whole word or character', () => {
    const words = chatTitle('word '.repeat(1000))!;
    expect(words).toMatch(/^(word )*word$/);
    expect(words.length).toBeLessThanOrEqual(50);
    for (const letter of ['a', '数', '👩‍👩‍👧', 'e' + '\u0301'.repeat(9)]) {
      const name = chatTitle(letter.repeat(300)) ?? '';
      expect([...name].length).toBeLessThanOrEqual(50);
      expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(180);
    }
    expect(chatTitle(`a ${'x'.repeat(1_000_000)}`)!.length).toBeLessThan(51);
  });

  it('is no path, no hidden file and one line, whatever the message is', () => {
    const parts = [
      '/',
      '\\',
      '..',
      '.',
      '\n',
      '\0',
      '\u202E',
      '%',
      'a',
      ' ',
      '-',
      '*'
    ];
    for (let seed = 0; seed < 5000; seed += 1) {
      let rest = seed * 7919;
      let message = '';
      for (let length = 0; length < 9; length += 1) {
        message += parts[rest % parts.length];
        rest = Math.floor(rest / parts.length) + seed;
      }
      const name = chatTitle(message);
      if (name !== null) {
        expect(name).toMatch(/^[^./\\\s-]([^/\\\n\0\u202E]*[^.\s])?$/);
      }
    }
  });
});

it('A name is not one that is there, in either case, nor one of its pair', () => {
  const taken = ['Plan.msg.md', 'plan 2.ipynb', 'Plan 4.txt'];
  expect(freeName('Plan', 'untitled.msg.md', taken)).toBe('Plan 3.msg.md');
  expect(freeName('Plan', 'Untitled.ipynb', [])).toBe('Plan.ipynb');
});

it.each([
  ['untitled.msg.md', true],
  ['untitled1.msg.md', true],
  ['Untitled.ipynb', true],
  ['Untitled12.ipynb', true],
  ['untitled.md', false],
  ['untitled notes.msg.md', false],
  ['Plan.ipynb', false]
])('%s is a name that nobody gave: %s', (name, untitled) => {
  expect(isUntitled(name)).toBe(untitled);
});
