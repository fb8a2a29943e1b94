import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

/** What JupyterLab shows errors as, and what is written to stderr. */
const STDERR = 'application/vnd.jupyter.stderr';

/** The error output of an interrupted turn, as the kernel's `msgbook.display.failure` words it. */
const INTERRUPTED = 'KeyboardInterrupt: The turn was interrupted.';

/**
 * Mark errors that say that a turn was interrupted, and no more than that.
 *
 * The style sheet hides them below a turn that says so itself; it cannot tell by the words.
 * Whatever shows errors goes on doing so.
 */
export function markInterruptions(rendermime: IRenderMimeRegistry): void {
  const factory = rendermime.getFactory(STDERR);
  if (factory === undefined) {
    return;
  }
  rendermime.addFactory(
    {
      safe: factory.safe,
      mimeTypes: [STDERR],
      createRenderer: options => {
        const renderer = factory.createRenderer(options);
        const render = renderer.renderModel.bind(renderer);
        renderer.renderModel = model => {
          renderer.node.classList.toggle(
            'msgbook-mod-interruption',
            model.data[STDERR] === INTERRUPTED
          );
          return render(model);
        };
        return renderer;
      }
    },
    rendermime.getRank(STDERR)
  );
}
