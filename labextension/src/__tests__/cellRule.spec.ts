import cases from '../../../tests/format/syntax/fixtures/cell_rule.json';
import type { BareCell } from '../comm/ourKernels';
import { cellFacts } from '../cells/cellFacts';
import { isPrompt } from '../prompts/promptKind';

const WORDS: Partial<Record<string, string>> = {
  prompt: 'message',
  magic: 'own'
};

function kindOf(source: string, bare: BareCell): string {
  const { kind } = cellFacts({ type: 'code', source, ours: {} }, bare);
  return WORDS[kind] ?? kind;
}

describe('A cell', () => {
  it.each(cases.filter(({ source }) => source !== ''))(
    'is on the page what it is for the kernels: $source',
    ({ source, chat, code_first }) => {
      expect([kindOf(source, 'message'), kindOf(source, 'python')]).toEqual([
        chat,
        code_first
      ]);
      if (chat !== 'own' && !source.trim().startsWith('%continue')) {
        expect(isPrompt(source, 'message')).toBe(chat === 'message');
        expect(isPrompt(source, 'python')).toBe(code_first === 'message');
      }
    }
  );
});
