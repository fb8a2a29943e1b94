import type { TranslationBundle } from '@jupyterlab/translation';

import type { IUsage } from '../comm/usageAnswers';
import { formatCount } from '../turn/wording';

/** Return the counts in a few characters. */
export function formatUsage(usage: IUsage, trans: TranslationBundle): string {
  const { input, output, cached, cost, window_share } = usage;
  const isComplete = input.is_complete && output.is_complete;
  const counts = [
    formatCount(input.known ?? 0),
    formatCount(output.known ?? 0)
  ];
  // Said once; the tooltip explains it.
  const parts = [
    isComplete
      ? trans.__('%1 → %2 tokens', ...counts)
      : trans.__('≥ %1 → %2 tokens', ...counts)
  ];
  if (cached.known) {
    parts.push(trans.__('%1 cached', formatCount(cached.known)));
  }
  if (window_share !== null) {
    parts.push(trans.__('%1% of the window', Math.round(window_share * 100)));
  }
  if (cost.known !== null) {
    const amount = cost.known.toFixed(4);
    parts.push(trans.__('cost %1', amount));
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
  const { input, output, cached, cost } = usage;
  if (![input, output, cached].every(count => count.is_complete)) {
    lines.push(trans.__('≥: a server has not reported all of them.'));
  }
  if (cost.known !== null && !cost.is_complete) {
    lines.push(trans.__('The cost is at least that.'));
  }
  lines.push(trans.__('Click to see what the next message sends.'));
  return lines.join('\n');
}
