import { isPrompt, mimeTypeOf, tagsOf } from '../prompts/promptKind';

describe('isPrompt', () => {
  it.each([
    ['', true],
    ['Hello', true],
    ['50% of it', true],
    ['%%msg agent=a\nHello', true],
    ['![a [b] c](x.png) What is it?', true],
    ['\\!not a command', true],
    ['\n\n%%python\n1', false],
    ['%%c++\n1', false],
    ['%context', false],
    ['!ls', false],
    ['![ -f x ] && echo y', false]
  ])('tells a message from code: %j', (source, expected) => {
    expect(isPrompt(source)).toBe(expected);
  });
});

describe('mimeTypeOf', () => {
  it.each([
    ['Hello', 'text/x-ipythongfm'],
    ['%%python\n1', 'text/x-ipython'],
    ['%%time\n1', 'text/x-ipython'],
    ['%%bash\nls', 'text/x-sh'],
    ['%%constructor\n1', 'text/x-ipython'],
    ['%%ms', 'text/plain'],
    ['%context', 'text/plain']
  ])('is the language of a cell: %j', (source, expected) => {
    expect(mimeTypeOf(source, true)).toBe(expected);
  });

  it('is plain for prompts that look like code', () => {
    expect(mimeTypeOf('Hello', false)).toBe('text/plain');
  });
});

describe('tagsOf', () => {
  it('finds references and macros that are not escaped', () => {
    const line =
      'a @[b.csv] \\@[c] {{d}} @[grep{"pattern": "[x]"}] @[{{e}}.csv] @[open';
    const found = tagsOf(line).map(({ from, to }) => line.slice(from, to));
    expect(found).toEqual([
      '@[b.csv]',
      '{{d}}',
      '@[grep{"pattern": "[x]"}]',
      '@[{{e}}.csv]'
    ]);
  });

  it('takes linear time on hostile lines', () => {
    for (const part of ['@[', '@[{', '{{', '@[[', '@[{}', '@[{{']) {
      const started = Date.now();
      tagsOf(part.repeat(5000));
      expect(Date.now() - started).toBeLessThan(2000);
    }
  });
});
