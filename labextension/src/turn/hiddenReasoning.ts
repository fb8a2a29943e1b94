import type { TranslationBundle } from '@jupyterlab/translation';

import { isObject, type IBlock, type ITurn } from './model';
import { formatCount } from './wording';

/** Return whether a block is reasoning of which the server tells no word. */
function isHiddenReasoning({ type, text, extra }: IBlock): boolean {
  return (
    type === 'reasoning' &&
    (text === undefined || (typeof text === 'string' && text.trim() === '')) &&
    isObject(extra) &&
    isObject(extra.item)
  );
}

/**
 * Return one line about each hidden reasoning of a turn, by its index in the blocks.
 *
 * The last line has the turn's reasoning tokens, once the turn has ended. The lines are those of
 * `msgbook_format.turn.wording`; tests/format/turn/fixtures/turn_wording.json tests both.
 */
export function hiddenReasoningLines(
  turn: ITurn,
  running: boolean,
  trans: TranslationBundle
): ReadonlyMap<number, string> {
  const words = trans.__(
    'The model reasoned, but the server does not return its reasoning'
  );
  const lines = new Map<number, string>();
  let last = -1;
  for (const [index, block] of turn.blocks.entries()) {
    if (isHiddenReasoning(block)) {
      lines.set((last = index), words);
    }
  }
  const tokens = turn.usage.reasoningTokens;
  if (last !== -1 && tokens && !running) {
    const count = formatCount(tokens);
    lines.set(
      last,
      trans.__('%1 (%2 reasoning tokens in this turn)', words, count)
    );
  }
  return lines;
}
