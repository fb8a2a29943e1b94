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
