import { removeMath, replaceMath } from '@jupyterlab/rendermime';
import { marked } from 'marked';

import { withoutDiagrams } from '../safe/markdown';
import { takesTooLong } from '../safe/markdownCost';
import { withoutTags } from '../safe/showTags';
import { linkUrl, showForeignTags } from '../safe/strictHtml';
import { turnBundle } from '../turn/bundle';
import { splitChunks } from '../turn/chunks';
import { diffLines } from '../turn/diff';
import { argumentsGist, indentJson, visible, writtenOut } from '../turn/text';

/** What texts are made of that are meant to stop the page. */
const TOKENS = [
  ...['~', '`', '~~~', '~~~ ', '```\n', '```a\n', '~~~a\n', '``` ', '`a``'],
  ...['x`', '`` ` ', '```mermaid', 'mermaid', '<', '<a '],
  ...['<a@', '<a@a.', '<https://', '</', '<!--', '<![CDATA[', '<?', '<a>'],
  ...['[', ']', '![', '[a](', '![a](b)', '[a][', '[a]: b\n', '[^1]', '[[a'],
  ...['$', '$$', '$a ', '$a$ ', '\\(', '\\[', '\\\\(', '\\begin{a}', '{', '\\'],
  ...['*', '_', '**a ', '_a', 'a*', '*a_', '***a', 'a_b ', '\\*', '~~a ', 'a~'],
  ...['>', '> ', '>\n', '- ', '+ ', '1. ', '  - ', '- a\n', '* a\n', '-', '='],
  ...['|', '| a ', '|a|b|\n|-|-|\n', '#', '# a\n', 'a\n===\n', '    a\n'],
  ...[' ', '\t', '\u00a0', '\n', 'a\n', '\r', '\u200b', '\ud800', 'é', '"'],
  ...['&', '&amp;', 'http://', 'www.', 'a@b', 'a.', ':', '@@1@@', '\\"', '[{']
];

const LENGTH = 100_000;

function textOf(token: string, length = LENGTH): string {
  return token.repeat(Math.ceil(length / token.length)).slice(0, length);
}

/** Of Node, which runs the tests. */
declare const process: {
  cpuUsage(since?: { user: number; system: number }): {
    user: number;
    system: number;
  };
};

/** CPU seconds that some work takes; the least of three, which others on the machine stretch least. */
async function seconds(work: () => unknown): Promise<number> {
  const times: number[] = [];
  while (times.length < 3 && !times.some(time => time < 0.05)) {
    const before = process.cpuUsage();
    try {
      await work();
    } catch {
      // What fails is shown as plain text; here it counts how soon.
    }
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1e6);
  }
  return Math.min(...times);
}

/** Whether twice the text takes about twice the time, or next to none. */
async function isLinear(
  work: (text: string) => unknown,
  token: string
): Promise<boolean> {
  const [half, whole] = [textOf(token, LENGTH / 2), textOf(token)];
  const taken = await seconds(() => work(whole));
  return taken < 0.05 || taken < 3 * (await seconds(() => work(half)));
}

const OURS: Record<string, (text: string) => unknown> = {
  withoutDiagrams: text =>
    withoutDiagrams({ render: source => Promise.resolve(source) }).render(text),
  withoutTags,
  takesTooLong,
  showForeignTags,
  linkUrl,
  splitChunks,
  diffLines,
  visible,
  writtenOut,
  argumentsGist,
  indentJson,
  jsonString: text => indentJson(JSON.stringify({ text })),
  turnBundle: text =>
    turnBundle({
      version: 1,
      status: 'running',
      blocks: [
        { type: 'text', text },
        { type: 'tool_call', name: 'x', arguments: text },
        { type: 'tool_result', content: text }
      ]
    })
};

describe('what we do with a text takes no more than its length', () => {
  it.each(Object.keys(OURS))('%s', async name => {
    for (const token of TOKENS) {
      const linear = await isLinear(OURS[name], token);
      expect([token, linear]).toEqual([token, true]);
    }
  });

  it('also where JSON consists of brackets', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(indentJson(nested(50_000)).length).toBeLessThan(
      3 * indentJson(nested(25_000)).length
    );
  });
});

describe('Markdown that would stop the page', () => {
  /** As JupyterLab does: formulas are taken out before. */
  function render(source: string): void {
    const { text, math } = removeMath(source);
    replaceMath(marked.parse(text, { gfm: true, async: false }), math);
  }

  it.each(TOKENS)('is told before, or takes no time: %j', async token => {
    for (const length of [1900, 4400, LENGTH]) {
      const text = textOf(token, length);
      if (!takesTooLong(text)) {
        expect(await seconds(() => render(text))).toBeLessThan(2);
      }
    }
  });

  it.each([
    ['a run', '`'.repeat(80_000)],
    ['tildes', '~'.repeat(80_000)],
    ['a paragraph', 'word **bold '.repeat(5_000)],
    ['lines of a paragraph', 'word **bold\n'.repeat(5_000)],
    ['a fence that is none', `\`\`\` a\`b\n${'**a '.repeat(20_000)}`],
    ['a fence of a list', `- \`\`\`\n\n${'**a '.repeat(20_000)}`],
    ['a fence with another end', `~~~\n~~~\`\`\n${'**a '.repeat(20_000)}`],
    ['Windows line ends', '~~~a\r\n'.repeat(20_000)]
  ])('is %s', (_, source) => {
    expect(takesTooLong(source)).toBe(true);
  });

  it.each([
    ['prose', 'Some *words* and `code`, [a link](b), 2 * 3.\n\n'.repeat(4_000)],
    ['a long paragraph', 'Some *words* and `code`.\n'.repeat(200)],
    ['a list', '- A **b**: `c` and *d*\n'.repeat(200)],
    ['a table', `| a | b |\n|---|---|\n${'| `a` | **b** |\n'.repeat(2_000)}`],
    [
      'code',
      `\`\`\`python\n${'x[i] = `a` * b_c ** d\n'.repeat(3_000)}\`\`\`\n`
    ],
    ['code blocks', '```python\nx = a[i] * b_c\n```\n\nText.\n\n'.repeat(500)],
    ['a rule', `${'-'.repeat(300)}\n\n${'*'.repeat(300)}\n`],
    ['a quote of quotes', '> > > a\n'.repeat(100)]
  ])('is not %s', (_, source) => {
    expect(takesTooLong(source)).toBe(false);
  });
});
