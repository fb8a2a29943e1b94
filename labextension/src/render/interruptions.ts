import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

/** MIME type under which JupyterLab shows errors and stderr. */
const STDERR = 'application/vnd.jupyter.stderr';

/** Text of the error output of an interrupted turn, from the kernel's `msgbook.display.console`. */
const INTERRUPTED = 'KeyboardInterrupt: The turn was interrupted.';

/**
 * Mark errors that only say that a turn was interrupted.
 *
 * The style sheet, which cannot select by text, hides them below a turn that says so itself.
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
