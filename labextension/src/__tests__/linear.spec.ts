import texts from '../../../tests/format/turn/fixtures/markdown_cost.json';
import { htmlOf, plainCode } from '../safe/dialect';
import { takesTooLong } from '../safe/markdown';
import { linkUrl, showForeignTags } from '../safe/strictHtml';
import { turnBundle } from '../live/turnOutputs';
import { Cuts, isOneUnit } from '../render/textView';
import { diffLines } from '../render/diffView';
import {
  argumentsGist,
  controlsVisible,
  indentJson,
  visible
} from '../turn/text';

/** What texts are made of that are meant to stop the page. Read by the kernel's tests as well. */
const TOKENS: readonly string[] = texts.tokens;

const LENGTH = 100_000;

function textOf(token: string, length = LENGTH): string {
  return token.repeat(Math.ceil(length / token.length)).slice(0, length);
}

/** Part of Node, which runs the tests. */
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
  // What grows with the square does so each time; a pause of the garbage collector comes once.
  for (let attempt = 0; attempt < 4; attempt++) {
    const taken = await seconds(() => work(whole));
    if (taken < 0.05 || taken < 3 * (await seconds(() => work(half)))) {
      return true;
    }
  }
  return false;
}

const OURS: Record<string, (text: string) => unknown> = {
  takesTooLong,
  showForeignTags,
  linkUrl,
  cuts: text => new Cuts().read(text, true),
  isOneUnit,
  diffLines,
  controlsVisible,
  visible,
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
  /** A row of the file: a name, how the text begins, what is repeated, how often, how it ends. */
  function written([
    ,
    before,
    piece,
    times,
    after
  ]: readonly unknown[]): string {
    return [before, String(piece).repeat(Number(times)), after].join('');
  }

  function render(source: string): Promise<string> {
    return htmlOf(source, (code, language) =>
      Promise.resolve(plainCode(code, language))
    );
  }

  /** Whether it takes less time than eight megabytes of usual Markdown: about two seconds. */
  async function isSoonDone(text: string): Promise<boolean> {
    const usual = textOf(
      'Some *words*, `code` and a [link](https://a.b)\n\n',
      1e6
    );
    for (let attempt = 0; attempt < 4; attempt++) {
      const taken = await seconds(() => render(text));
      if (taken < 0.05 || taken < 8 * (await seconds(() => render(usual)))) {
        return true;
      }
    }
    return false;
  }

  it.each(TOKENS)('is recognised, or soon done: %j', async token => {
    for (const length of [1900, 4400, LENGTH]) {
      const text = textOf(token, length);
      expect([length, takesTooLong(text) || (await isSoonDone(text))]).toEqual([
        length,
        true
      ]);
    }
  });

  it.each(texts.stops)('is %s', (...row) => {
    expect(takesTooLong(written(row))).toBe(true);
  });

  it.each([
    ['$$x$$\n', 50_000],
    ['$$ a\n', 60_000],
    ['\\(a\\) ', 3_000],
    ['\\begin{align}a\\end{align}\n', 3_000]
  ])('is too many formulas: %j', (formula, times) => {
    expect(takesTooLong(formula.repeat(times))).toBe(true);
    expect(takesTooLong(formula.repeat(1_000))).toBe(false);
  });

  it.each(texts.fine)('is not %s', (...row) => {
    expect(takesTooLong(written(row))).toBe(false);
  });
});
