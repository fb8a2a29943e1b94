import { nullTranslator } from '@jupyterlab/translation';
import {
  broughtBy,
  BroughtFacts,
  broughtRow,
  type IBrought,
  MAX_ITEMS
} from '../cells/brought';

const trans = nullTranslator.load('msgbook');

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

const HOSTILE = [
  '<img src=x onerror=hacked>',
  '\u202egnp.exe',
  '\u200b\u2800',
  'x'.repeat(100_000),
  'a\nb\tc',
  '__proto__',
  '\ud800',
  'javascript:hacked'
];

function known(tokens: number | null, url: string | null) {
  return {
    tokens: () => Promise.resolve(tokens),
    picture: () => Promise.resolve(url)
  };
}

async function shown(
  items: readonly IBrought[],
  facts = known(null, null)
): Promise<HTMLElement> {
  const row = broughtRow(items, facts, trans);
  await Promise.resolve();
  await Promise.resolve();
  return row;
}

describe('what a message has brought', () => {
  it('is what its turn records, in the order of the request', () => {
    const context = {
      images: [
        { key: 'attachments/image.png', sha256: B, width: 1, height: 1 },
        { key: 'https://x.invalid/a.png' },
        { key: 'broken.png' },
        { key: 'imported.png', sent: false }
      ],
      rules: [{ name: 'style.md', sha256: A }],
      tools: [{ name: 'read', args: {}, sha256: A }],
      files: [
        { key: 'data.csv', sha256: A, version: 1 },
        { key: 'py:df', sha256: B, version: 1, unchanged: true }
      ]
    };
    const found = broughtBy({ context });

    expect(found.map(({ kind, name }) => [kind, name])).toEqual([
      ['text', 'data.csv'],
      ['text', 'py:df'],
      ['call', 'read'],
      ['rule', 'style.md'],
      ['picture', 'attachments/image.png'],
      ['picture', 'https://x.invalid/a.png']
    ]);
    expect(found[1]).toEqual({
      kind: 'text',
      name: 'py:df',
      digest: B,
      isUnchanged: true
    });
  });

  it.each([
    null,
    'x',
    {},
    { context: [] },
    { context: { files: 'x', tools: {}, images: [1, null, []] } },
    { context: { files: [{}, { key: 1 }, { key: '' }] } }
  ])('is nothing in %j', turn => {
    expect(broughtBy(turn)).toEqual([]);
  });

  it.each(['../../secret', 'A'.repeat(64), '', 7])(
    'has no digest %j',
    sha256 => {
      const [{ digest }] = broughtBy({
        context: { files: [{ key: 'a', sha256 }] }
      });
      expect(digest).toBeUndefined();
    }
  );
});

describe('a row of chips', () => {
  const text = {
    kind: 'text',
    name: 'data.csv',
    digest: A,
    isUnchanged: false
  } as const;
  const picture = {
    kind: 'picture',
    name: 'attachments/a.png',
    digest: B,
    isUnchanged: false
  } as const;

  it('says what was sent and how large it is', async () => {
    const row = await shown([text], known(7, null));
    expect(row.textContent).toBe('data.csv · 7 tokens');
    const [one] = (await shown([text], known(1, null))).children;
    expect(one.textContent).toBe('data.csv · 1 token');
    expect((await shown([text])).textContent).toBe('data.csv');
    const again = await shown([{ ...text, isUnchanged: true }], known(7, null));
    expect(again.textContent).toBe('data.csv · unchanged, sent above');
  });

  it('shows the pictures that the kernel keeps', async () => {
    const row = await shown([picture], known(null, PIXEL));
    expect(row.querySelector('img')?.src).toBe(PIXEL);
    expect(row.querySelector('img')?.alt).toBe('attachments/a.png');
  });

  it.each([
    null,
    '',
    'x',
    'http://leak.invalid/x.png',
    '/files/attachments/a.png',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
    'data:image/png;base64,AAAA"',
    `data:image/png;base64,${'A'.repeat(9_000_000)}`
  ])('shows no picture from %.40j', async url => {
    const row = await shown([picture], known(null, url));
    expect(row.querySelector('img')).toBeNull();
    expect(row.textContent).toBe('attachments/a.png');
  });

  it('asks about no remote picture', async () => {
    const row = await shown(
      [
        { kind: 'picture', name: 'https://x.invalid/a.png', isUnchanged: false }
      ],
      known(null, PIXEL)
    );
    expect(row.querySelector('img')).toBeNull();
    expect(row.textContent).toContain('loaded by the server of the model');
  });

  it.each(HOSTILE)('shows %.20j as text, short and visible', async name => {
    for (const kind of ['text', 'call', 'rule', 'picture'] as const) {
      const row = await shown([{ ...text, kind, name }], known(7, null));
      expect(row.querySelectorAll('*').length).toBeLessThan(5);
      expect(row.textContent!.length).toBeLessThan(200);
      expect(row.textContent).not.toMatch(/[\u202e\u200b\u2800\ud800\n]/);
    }
  });

  it('does not grow without end', async () => {
    const many = Array.from({ length: 1000 }, () => text);
    const row = await shown(many);
    expect(row.childElementCount).toBe(MAX_ITEMS + 1);
    expect(row.lastElementChild?.textContent).toBe('950 more');
  });
});

describe('BroughtFacts', () => {
  it('asks once about all texts that are shown at the same time', async () => {
    const asked: unknown[] = [];
    const facts = new BroughtFacts((name, params) => {
      asked.push([name, params]);
      return Promise.resolve({ tokens: { [A]: 7, [B]: 'x' } });
    });
    const found = await Promise.all([A, B, A].map(one => facts.tokens(one)));

    expect(found).toEqual([7, null, 7]);
    expect(asked).toEqual([['context.sizes', { digests: [A, B] }]]);
    await facts.tokens(A);
    expect(asked).toHaveLength(1);
  });

  it.each([{}, { tokens: null }, { tokens: [] }, { tokens: { [A]: -1 } }])(
    'takes %j for an answer without sizes',
    async answer => {
      const facts = new BroughtFacts(() => Promise.resolve(answer as never));
      expect(await facts.tokens(A)).toBeNull();
      expect(await facts.picture(A)).toBeNull();
    }
  );

  it('asks again where the kernel could not be reached', async () => {
    let isThere = false;
    const facts = new BroughtFacts(() =>
      isThere
        ? Promise.resolve({ tokens: { [A]: 7 }, url: PIXEL })
        : Promise.reject(new Error('gone'))
    );
    expect(await facts.tokens(A)).toBeNull();
    expect(await facts.picture(A)).toBeNull();
    isThere = true;
    expect(await facts.tokens(A)).toBe(7);
    expect(await facts.picture(A)).toBe(PIXEL);
  });
});
