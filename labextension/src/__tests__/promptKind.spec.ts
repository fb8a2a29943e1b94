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
    expect(isPrompt(source, 'message')).toBe(expected);
  });

  it.each([
    ['', false],
    ['x = 1', false],
    ['\\!not a command', false],
    ['![a](x.png)', false],
    ['%%msg', true],
    ['\n %%msg agent=a\nHello', true],
    ['%%msgs\nHello', false],
    ['x = 1\n%%msg', false]
  ])('tells them apart in a Python notebook: %j', (source, expected) => {
    expect(isPrompt(source, 'python')).toBe(expected);
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
    expect(mimeTypeOf(source, true, 'message')).toBe(expected);
  });

  it.each([
    ['%%msg\nHello', 'text/x-ipythongfm'],
    ['x = 1', 'text/x-ipython'],
    ['%%bash\nls', 'text/x-ipython'],
    ['', 'text/x-ipython']
  ])('is that of Python in its notebooks: %j', (source, expected) => {
    expect(mimeTypeOf(source, true, 'python')).toBe(expected);
  });

  it('is plain for prompts that look like code', () => {
    expect(mimeTypeOf('Hello', false, 'message')).toBe('text/plain');
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
