import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';

import { TURN_MIME } from '../turn/model';
import { NO_HOST, type ITurnHost } from './host';
import { TurnRenderer } from './turnRenderer';

/**
 * Rank before `text/html` (50) and `text/markdown` (60), which stand in a turn's MIME bundle, too.
 */
export const TURN_RANK = 10;

/**
 * Return the factory of turn renderers. They are safe, since they always sanitise.
 *
 * @param made - Called with each renderer.
 */
export function turnRendererFactory(
  trans: TranslationBundle,
  host: ITurnHost = NO_HOST,
  made: (renderer: TurnRenderer) => void = () => undefined
): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [TURN_MIME],
    defaultRank: TURN_RANK,
    createRenderer: options => {
      const renderer = new TurnRenderer(options, trans, host);
      made(renderer);
      return renderer;
    }
  };
}
