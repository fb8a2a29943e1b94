import type { BareCell } from '../comm/ourKernels';
import { type Kind, kindOf, KINDS, withKind } from '../cells/kinds';

const code = (source: string) => ({ type: 'code', source });

describe('kindOf', () => {
  it.each<[string, Kind | null, Kind | null]>([
    ['', 'message', 'python'],
    ['x = 1', 'message', 'python'],
    ['%%msg\nHi', 'message', 'message'],
    ['\n%%msg agent=a\nHi', 'message', 'message'],
    ['%continue', 'message', 'message'],
    ['%%python\nx', 'python', 'python'],
    ['%%time\nx', 'python', 'python'],
    ['%matplotlib inline\nimport x', 'python', 'python'],
    ['%%bash\nls', 'shell', 'shell'],
    ['!ls\n\n!pwd', 'shell', 'shell'],
    ['!pip install x\nimport x', 'python', 'python'],
    ['\\!ls', 'message', 'python'],
    ['![a](b.png)', 'message', 'python'],
    ['%%html\n<b>', null, null],
    ['%usage', null, null]
  ])(
    'of %j is %s in a chat and %s in a Python notebook',
    (source, ...kinds) => {
      expect([
        kindOf(code(source), 'message'),
        kindOf(code(source), 'python')
      ]).toEqual(kinds);
    }
  );

  it('of notes and raw cells is that of their type', () => {
    expect(kindOf({ type: 'markdown', source: '%%msg' }, 'python')).toBe(
      'note'
    );
    expect(kindOf({ type: 'raw', source: '%%msg' }, 'message')).toBe('raw');
  });
});

describe('withKind', () => {
  it.each<[BareCell, string, Kind, string]>([
    ['message', 'x = 1', 'python', '%%python\nx = 1'],
    ['message', '%%python\nx = 1', 'message', 'x = 1'],
    ['message', '%%python\n!ls', 'message', '%%msg\n!ls'],
    ['message', '\\!ls', 'python', '%%python\n!ls'],
    ['message', '%%msg agent=a\nx', 'python', '%%python\nx'],
    ['message', '', 'python', '%%python\n'],
    ['message', '%%python', 'message', ''],
    ['message', '!ls\n!pwd', 'message', 'ls\npwd'],
    ['message', '!ls\n!pwd', 'python', '%%python\nls\npwd'],
    ['message', '%%bash\nls', 'python', '%%python\nls'],
    ['message', '%%python3 -u\nx', 'message', '%%msg\n%%python3 -u\nx'],
    ['python', 'x = 1', 'message', '%%msg\nx = 1'],
    ['python', '', 'message', '%%msg\n'],
    ['python', '%%msg agent=a\nx = 1', 'python', 'x = 1'],
    ['python', '%%msg', 'python', ''],
    ['python', '%%msg\n%%msg\nx', 'python', '%%python\n%%msg\nx'],
    ['python', 'ls', 'shell', '%%bash\nls'],
    ['python', '%%bash\nls', 'python', 'ls'],
    ['python', '%usage', 'message', '%%msg\n%usage']
  ])('in a %s notebook makes %j %s', (bare, source, kind, changed) => {
    const made = withKind(code(source), kind, bare);
    expect(made).toEqual(code(changed));
    expect(kindOf(made, bare)).toBe(kind);
  });

  it.each<BareCell>(['message', 'python'])(
    'goes to each kind and back, in a notebook of %s',
    bare => {
      for (const from of KINDS) {
        const first = withKind({ type: 'raw', source: 'a\nb' }, from, bare);
        for (const to of KINDS) {
          const second = withKind(first, to, bare);
          expect(kindOf(second, bare)).toBe(to);
          expect(withKind(second, from, bare)).toEqual(first);
        }
      }
    }
  );

  it('leaves a cell that is of the kind as it is', () => {
    const cell = code('%%time\nx');
    expect(withKind(cell, 'python', 'message')).toBe(cell);
  });
});
