import type { TranslationBundle } from '@jupyterlab/translation';

import type { IUsage } from '../comm/usageAnswers';
import { formatCount, tokenWords } from '../turn/wording';

/** Return the counts in a few characters. */
export function formatUsage(usage: IUsage, trans: TranslationBundle): string {
  const { input, output, cached, cost, window_share } = usage;
  const isComplete = input.is_complete && output.is_complete;
  const parts = [
    tokenWords(input.known ?? 0, output.known ?? 0, isComplete, trans)
  ];
  if (cached.known) {
    const count = formatCount(cached.known);
    parts.push(
      cached.is_complete
        ? trans.__('%1 cached', count)
        : trans.__('at least %1 cached', count)
    );
  }
  if (window_share !== null) {
    parts.push(trans.__('%1% of the window', Math.round(window_share * 100)));
  }
  if (cost.known !== null) {
    const amount = cost.known.toFixed(4);
    parts.push(
      cost.is_complete
        ? trans.__('cost %1', amount)
        : trans.__('cost at least %1', amount)
    );
  }
  return parts.join(' · ');
}

/** Return what the counts are, in sentences. */
export function describeUsage(usage: IUsage, trans: TranslationBundle): string {
  const lines = [
    trans._n(
      'Tokens of %1 turn in this notebook, sent and received.',
      'Tokens of %1 turns in this notebook, sent and received.',
      usage.turns,
      usage.turns
    )
  ];
  if (!usage.input.is_complete || !usage.output.is_complete) {
    lines.push(trans.__('A server has not reported all of them.'));
  }
  lines.push(trans.__('Click to see what the next message sends.'));
  return lines.join('\n');
}
