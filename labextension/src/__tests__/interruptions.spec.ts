import {
  errorRendererFactory,
  MimeModel,
  RenderMimeRegistry
} from '@jupyterlab/rendermime';
import { markInterruptions } from '../render/factory';

const STDERR = 'application/vnd.jupyter.stderr';

describe('an error output', () => {
  async function shown(...texts: string[]) {
    const rendermime = new RenderMimeRegistry({
      initialFactories: [errorRendererFactory]
    });
    markInterruptions(rendermime);
    const renderer = rendermime.createRenderer(STDERR);
    for (const text of texts) {
      await renderer.renderModel(new MimeModel({ data: { [STDERR]: text } }));
    }
    const { node } = renderer;
    renderer.dispose();
    return node;
  }

  const stop = 'KeyboardInterrupt: The turn was interrupted.';

  it('is marked where it says no more than that a turn was interrupted', async () => {
    const node = await shown(stop);
    expect(node.classList).toContain('msgbook-mod-interruption');
    expect(node.textContent).toBe(stop);
  });

  it.each([
    'KeyboardInterrupt: ',
    `${stop} And more.`,
    `Traceback\n${stop}`,
    'AuthenticationError: Wrong key'
  ])('is not marked where it says %j', async text => {
    const node = await shown(stop, text);
    expect(node.classList).not.toContain('msgbook-mod-interruption');
    expect(node.textContent).toBe(text);
  });

  it('is left alone where nothing shows it', () => {
    const rendermime = new RenderMimeRegistry();
    markInterruptions(rendermime);
    expect(rendermime.getFactory(STDERR)).toBeUndefined();
  });
});
