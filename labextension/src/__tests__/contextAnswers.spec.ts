import { parseRequest, parseUsage } from '../comm/contextAnswers';
import { describeUsage, formatUsage } from '../panels/usageItem';
import { nullTranslator } from '@jupyterlab/translation';

const WRONG: unknown[] = [null, 7, -1, 'x', true, [], {}, [null, 7, 'x'], [[]]];
const FIELDS = [
  'agent model provider hash tokens window reserved tools system cells cache',
  'switches notices'
].flatMap(line => line.split(' '));

describe('the answer to context.request', () => {
  it('is no request without a cell of the prompt', () => {
    for (const answer of [undefined, ...WRONG, { cells: 'x' }]) {
      expect(parseRequest(answer)).toBeNull();
    }
  });

  it('has empty parts where fields are absent', () => {
    expect(parseRequest({ cells: [{}] })).toEqual({
      agent: '',
      model: null,
      provider: '',
      hash: '',
      tokens: 0,
      window: null,
      reserved: 0,
      system: [],
      switches: [],
      notices: [],
      tools: { count: 0, tokens: 0, kept: 0 },
      cache: { share: null, changes: [] },
      cells: [
        {
          id: null,
          number: 0,
          title: '',
          kind: '',
          messages: [],
          history: 'include',
          by_line: false,
          is_stale: false
        }
      ]
    });
  });

  it.each(FIELDS)('is read when `%s` has a wrong type', field => {
    for (const value of WRONG) {
      const answer = { cells: [{ messages: [{}] }], [field]: value };
      const isRequest = field !== 'cells';
      expect(parseRequest(answer) !== null).toBe(isRequest);
      for (const key of ['messages', 'title', 'history', 'id']) {
        const [cell] = parseRequest({ cells: [{ [key]: value }] })!.cells;
        expect(Array.isArray(cell.messages)).toBe(true);
        expect(typeof cell.title).toBe('string');
        expect(cell.history).toBe('include');
      }
    }
  });

  it('leaves out switches of unknown kinds and those without a name', () => {
    const items = [{ name: 'a', is_on: true }, { name: 3 }, null];
    const switches = [
      { kind: '__proto__', items },
      { kind: 'rules', items }
    ];
    const [group, ...others] = parseRequest({
      cells: [{}],
      switches
    })!.switches;
    expect(others).toEqual([]);
    expect(group.items).toEqual([
      {
        name: 'a',
        shown: 'a',
        origin: '',
        note: '',
        is_on: true,
        is_fixed: false,
        tokens: null
      }
    ]);
  });
});

describe('the answer to usage.total', () => {
  it('can be written, whatever it holds', () => {
    const trans = nullTranslator.load('msgbook');
    for (const value of WRONG) {
      const keys = [
        'input',
        'cached',
        'output',
        'cost',
        'window_share',
        'prices'
      ];
      const answer = Object.fromEntries(keys.map(key => [key, value]));
      expect(formatUsage(parseUsage(answer), trans)).toContain('→');
      expect(describeUsage(parseUsage(answer), trans)).not.toContain('Prices');
    }
  });

  it('tells whose the prices are and how old, where a price was used', () => {
    const trans = nullTranslator.load('msgbook');
    const prices = { source: 'genai-prices 0.2.3', date: '2026-11-09' };
    const cost = { known: 0.5, is_complete: true };
    const words = (answer: Record<string, unknown>) =>
      describeUsage(parseUsage(answer), trans);

    expect(words({ cost, prices })).toContain(
      'those of genai-prices 0.2.3, whose newest entry is of 2026-11-09.'
    );
    expect(words({ cost, prices: null })).not.toContain('Prices');
    expect(words({ prices })).not.toContain('Prices');
  });
});
