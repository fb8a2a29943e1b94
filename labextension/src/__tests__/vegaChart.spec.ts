import { nullTranslator } from '@jupyterlab/translation';

import type { IViewTools } from '../render/host';
import { displayView } from '../rich/displayView';
import { chartPicture, type IVega, type LoadVega } from '../rich/vegaChart';

type Loader = Record<
  'load' | 'sanitize' | 'http' | 'file',
  (uri: unknown, options?: { context: string }) => Promise<never>
>;

const VEGA = 'application/vnd.vega.v5+json';

/** A Vega that asks its loader for all that `ask` says, and notes what it was made with. */
class FakeVega {
  constructor(
    private readonly _ask: (loader: Loader) => Promise<unknown>[] = () => []
  ) {}

  readonly made: unknown[] = [];
  finalized = 0;

  readonly load: LoadVega = () => {
    const { _ask: ask, made } = this;
    const finalize = () => (this.finalized += 1);
    class View {
      constructor(
        runtime: unknown,
        private readonly _options: { loader: Loader }
      ) {
        made.push([runtime, Object.keys(_options).sort()]);
      }
      async toSVG(): Promise<string> {
        await Promise.allSettled(ask(this._options.loader));
        return '<svg xmlns="http://www.w3.org/2000/svg"/>';
      }
      finalize = finalize;
    }
    const vega = {
      View,
      None: 0,
      logger: () => ({}),
      parse: (spec: unknown) => ({ spec })
    };
    const vegaLite = { compile: (lite: unknown) => ({ spec: { lite } }) };
    return Promise.resolve({ vega, vegaLite } as unknown as IVega);
  };
}

const loads = (loader: Loader) => [
  loader.load('http://leak.invalid/a'),
  loader.load({ toString: () => 'odd' }),
  loader.http('/api/contents'),
  loader.file('/etc/passwd'),
  loader.sanitize('https:leak.invalid', { context: 'image' }),
  loader.sanitize('http://leak.invalid/link', { context: 'href' })
];

describe('a chart', () => {
  it('gets a loader that refuses all, listens to nothing and has no place in the page', async () => {
    const fake = new FakeVega(loads);
    const { refused } = await chartPicture({ marks: [] }, false, fake.load);

    expect(refused).toEqual([
      'http://leak.invalid/a',
      'odd',
      '/api/contents',
      '/etc/passwd',
      'https:leak.invalid'
    ]);
    const off = { view: false, window: false, selector: false, timer: false };
    const runtime = {
      spec: { marks: [] },
      eventConfig: { ...off, defaults: {} }
    };
    expect(fake.made).toEqual([[runtime, ['loader', 'logLevel', 'renderer']]]);
    expect(fake.finalized).toBe(1);
  });

  it('of Vega-Lite is compiled first', async () => {
    const fake = new FakeVega();
    await chartPicture({ mark: 'bar' }, true, fake.load);
    expect(JSON.stringify(fake.made)).toContain('{"lite":{"mark":"bar"}}');
  });

  it.each([true, false])('is drawn as an image; trusted: %p', async trusted => {
    const node = await shown({ description: 'Two bars' }, trusted, loads);
    const button = node.querySelector('button');
    expect(button === null).toBe(trusted);
    button?.click();
    await settled();
    expect(node.querySelector('img')?.src).toContain('data:image/svg+xml');
    expect(node.querySelector('img')?.alt).toBe('Two bars');
    expect(node.textContent).toContain('Nothing was loaded');
    expect(node.textContent).toContain('https:leak.invalid');
    expect(node.textContent).not.toContain('/link');
  });

  it('that cannot be drawn is shown as its data', async () => {
    const failing = () => {
      throw new Error('bad \u202e spec');
    };
    const node = await shown({ a: 'b' }, true, failing);
    expect(node.textContent).toContain('This chart cannot be drawn');
    expect(node.textContent).not.toContain('\u202e');
    expect(node.querySelector('.msgbook-Json')).not.toBeNull();
  });

  it('is drawn once, however often its turn is shown, and the last one alone', async () => {
    const { widget, update } = displayView(toolsFor(true, () => []));
    const context = { blocks: [], streaming: false, asked: [] };
    const show = (description: string, streaming = false) =>
      update(
        { type: 'display', data: { [VEGA]: { description } } },
        { ...context, streaming }
      );
    await Promise.all([show('One', true), show('One')]);
    const labels = () =>
      Array.from(widget.node.querySelectorAll('img'), ({ alt }) => alt);
    expect(labels()).toEqual(['One']);
    await Promise.all([show('Two'), show('Three')]);
    expect(labels()).toEqual(['Three']);
  });

  it('is shown as its data where there is no Vega', async () => {
    const node = await shown({ a: 'b' }, true, null);
    expect(node.textContent).toContain('It is not drawn here');
    expect(node.querySelector('.msgbook-Json')).not.toBeNull();
  });
});

async function shown(
  spec: object,
  trusted: boolean,
  ask: ((loader: Loader) => Promise<unknown>[]) | null
): Promise<HTMLElement> {
  const { widget, update } = displayView(toolsFor(trusted, ask));
  await update(
    { type: 'display', data: { [VEGA]: spec } },
    {
      blocks: [],
      streaming: false,
      asked: []
    }
  );
  return widget.node;
}

function toolsFor(
  trusted: boolean,
  ask: ((loader: Loader) => Promise<unknown>[]) | null
): IViewTools {
  const tools = {
    trans: nullTranslator.load('msgbook'),
    charts: ask && new FakeVega(ask).load,
    isTrusted: () => trusted
  };
  return tools as unknown as IViewTools;
}

function settled(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}
