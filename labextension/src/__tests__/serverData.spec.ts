import { nullTranslator } from '@jupyterlab/translation';
import jsonCases from '../../../tests/format/turn/fixtures/shown_json.json';
import sourceCases from '../../../tests/format/turn/fixtures/sources.json';
import words from '../../../tests/format/turn/fixtures/turn_wording.json';
import type { IViewTools } from '../render/host';
import { createBlockView } from '../render/blockViews';
import { hiddenReasoningLines, shownSources } from '../turn/shownFacts';
import { type ITurn, parseTurn } from '../turn/model';
import { shownJson } from '../turn/shownJson';
import { describeModel } from '../turn/wording';

const trans = nullTranslator.load('msgbook');

function parsed(keys: object): ITurn {
  return parseTurn({ version: 1, status: 'done', blocks: [], ...keys })!;
}

describe('sources of a text', () => {
  it.each(sourceCases)(
    'are those that Markdown shows: $title',
    ({ annotations, sources, further }) => {
      const block = { type: 'text', extra: { annotations } };
      expect(shownSources(block)).toEqual({ sources, further });
    }
  );

  it('are counted if there are many, and long titles are cut', () => {
    const annotations = Array.from({ length: 5000 }, (_, n) => ({
      url: `https://a.example/${n}`,
      title: 'x'.repeat(1000)
    }));
    const block = { type: 'text', extra: { annotations } };
    const { sources, further } = shownSources(block);
    expect([sources.length, further]).toEqual([50, 4950]);
    expect(sources[0].title).toBe(`${'x'.repeat(199)}…`);
  });

  it.each([undefined, null, [], 'x', {}])('are not made from %p', extra => {
    const shown = shownSources({ type: 'text', extra });
    expect(shown).toEqual({ sources: [], further: 0 });
  });
});

describe('what a server did itself', () => {
  function linksOf(text: string, item: object): [string, string | null][] {
    const view = createBlockView('notice', { trans } as IViewTools);
    const block = { type: 'notice', text, extra: { item } };
    void view.update(block, { streaming: false, blocks: [], asked: [] });
    return Array.from(view.widget.node.querySelectorAll('a'), link => [
      link.href,
      link.rel
    ]);
  }

  it('is shown with links to the pages that its item names, and no others', () => {
    const item = {
      content: [
        { url: 'https://a.example/b_(c)' },
        { url: 'https://a.example/' },
        { url: 'javascript:alert(1)' },
        { url: 'mailto:a@b.example' },
        7
      ]
    };
    const text =
      'Found A (https://a.example/b_(c)); B (https://a.example/); C (javascript:alert(1)); ' +
      'D (mailto:a@b.example); E (https://e.example/).';
    expect(linksOf(text, item)).toEqual([
      ['https://a.example/b_(c)', 'noopener noreferrer'],
      ['https://a.example/', 'noopener noreferrer']
    ]);
  });

  it('has a link to the page that was opened', () => {
    const action = { type: 'open_page', url: 'https://a.example/x' };
    expect(
      linksOf('The server opened the page "https://a.example/x".', { action })
    ).toEqual([['https://a.example/x', 'noopener noreferrer']]);
  });

  it.each([{}, { content: 'x', action: [] }, { content: [{ url: 7 }] }])(
    'has none without pages: %p',
    item => {
      expect(linksOf('Found A (https://a.example/).', item)).toEqual([]);
    }
  );
});

describe('JSON of unknown origin', () => {
  it.each(jsonCases)('is shown as in Markdown: $title', ({ value, shown }) => {
    expect(shownJson(value, trans)).toEqual(shown);
  });

  it('is cut where it is long, and what is left out is counted', () => {
    const long = 'x'.repeat(501);
    expect(shownJson(long, trans)).toBe(`${'x'.repeat(200)}… (501 characters)`);
    const numbers = Array.from({ length: 102 }, (_, n) => n);
    expect(shownJson(numbers, trans)).toEqual([
      ...numbers.slice(0, 100),
      '… (2 more)'
    ]);
    const entries = numbers.map(n => [`n${n}`, n]);
    const shown = shownJson(Object.fromEntries(entries), trans);
    expect(shown).toHaveProperty(['…'], '(2 more)');
  });

  it('is shown in bounded space', () => {
    let wide: unknown = 'x'.repeat(500);
    for (let depth = 0; depth < 10; depth += 1) {
      wide = Array.from({ length: 100 }, () => wide);
    }
    expect(JSON.stringify(shownJson(wide, trans)).length).toBeLessThan(300_000);
  });
});

describe('words about a turn', () => {
  it.each(words.models)('name the model: $title', ({ turn, words }) => {
    expect(describeModel(parsed(turn), trans)).toBe(words);
  });

  it.each(words.reasoning)(
    'tell of hidden reasoning: $title',
    ({ turn, lines }) => {
      const running = turn.status === 'running';
      const found = hiddenReasoningLines(parsed(turn), running, trans);
      expect(Object.fromEntries(found)).toEqual(lines);
    }
  );
});
