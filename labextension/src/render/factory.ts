import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';

import { TURN_MIME } from '../turn/model';
import { TurnRenderer, type ExecutionProbe } from './turnRenderer';

/** Below `text/html` (50) and `text/markdown` (60), which stand beside a turn in its bundle. */
export const TURN_RANK = 10;

/** The renderers of turns; safe, because they sanitise whatever the trust. */
export function turnRendererFactory(
  trans: TranslationBundle,
  probe: ExecutionProbe = () => 'unknown'
): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [TURN_MIME],
    defaultRank: TURN_RANK,
    createRenderer: options => new TurnRenderer(options, trans, probe)
  };
}
