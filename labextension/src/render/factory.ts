import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import { type IDrawers, NO_DRAWERS } from '../rich/vegaChart';
import { type IMarkdownRenderer, safeMarkdown } from '../safe/markdown';
import { TURN_MIME } from '../turn/model';
import { type ITurnHost, NO_HOST } from './host';
import { TurnRenderer } from './turnRenderer';

/**
 * Rank before `text/html` (50) and `text/markdown` (60), which stand in a turn's MIME bundle, too.
 */
export const TURN_RANK = 10;

/**
 * Return the factory of turn renderers. They are safe, since they always sanitise.
 *
 * @param drawers - Draw charts and diagrams.
 * @param made - Called with each renderer.
 * @param markdown - Returns what renders the Markdown of a turn.
 */
export function turnRendererFactory(
  trans: TranslationBundle,
  host: ITurnHost = NO_HOST,
  drawers: IDrawers = NO_DRAWERS,
  made: (renderer: TurnRenderer) => void = () => undefined,
  markdown: (
    options: IRenderMime.IRendererOptions
  ) => IMarkdownRenderer = one => safeMarkdown(one)
): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [TURN_MIME],
    defaultRank: TURN_RANK,
    createRenderer: options => {
      const renderer = new TurnRenderer(
        trans,
        host,
        drawers,
        markdown(options)
      );
      made(renderer);
      return renderer;
    }
  };
}

/** MIME type under which JupyterLab shows errors and stderr. */
const STDERR = 'application/vnd.jupyter.stderr';

/** Text of the error output of an interrupted turn, from the kernel's `msgbook.display.failure`. */
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
