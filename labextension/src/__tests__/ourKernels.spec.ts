import cellRule from '../../../tests/format/syntax/fixtures/cell_rule.json';
import { cellFacts } from '../cells/cellFacts';
import { type BareCell, bareCellOf } from '../comm/ourKernels';
import { isPrompt } from '../prompts/promptKind';

it.each([
  ['msgbook', 'message'],
  ['msgbook-analysis', 'message'],
  ['msgbook-python', 'python'],
  ['msgbook-python-analysis', 'python'],
  ['msgbook-pythonic', 'message'],
  ['msgbookish', null],
  ['python3', null],
  ['', null],
  [undefined, null]
])('a bare cell of the kernel %s is a %s', (name, bare) => {
  expect(bareCellOf(name)).toBe(bare);
});

const KINDS: Record<string, string[]> = {
  message: ['prompt', 'empty'],
  code: ['code', 'empty'],
  own: ['magic']
};

describe.each<[BareCell, 'chat' | 'code_first']>([
  ['message', 'chat'],
  ['python', 'code_first']
])('where a bare cell is a %s', (bare, column) => {
  it.each(cellRule)('$source is what Python takes it for', rule => {
    const { source } = rule;
    const { kind } = cellFacts({ type: 'code', source, ours: {} }, bare);
    expect(KINDS[rule[column]]).toContain(kind);
    if (!source.includes('%continue')) {
      // Its look is that of a magic.
      expect(isPrompt(source, bare)).toBe(rule[column] === 'message');
    }
  });
});
