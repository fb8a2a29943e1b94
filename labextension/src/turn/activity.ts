import type { TranslationBundle } from '@jupyterlab/translation';

import { asAmount, asText, callOf, type ITurn } from './model';
import { visible } from './text';
import type { ShownStatus } from './wording';

/** Return what a running turn does, in one line. */
export function describeActivity(
  { blocks }: ITurn,
  trans: TranslationBundle
): string {
  const step = Math.max(
    1,
    ...blocks.map(block => asAmount(block.step) ?? 0).slice(-50)
  );
  const last = blocks.at(-1);
  switch (last?.type) {
    case 'text':
      return trans.__('Step %1: the model answers', step);
    case 'reasoning':
      return trans.__('Step %1: the model reasons', step);
    case 'tool_call':
      return trans.__('Step %1: tool %2', step, toolName(last.name));
    case 'tool_result': {
      const name = toolName(callOf(blocks, last)?.call.name);
      return last.status === undefined
        ? trans.__('Step %1: tool %2 runs', step, name)
        : trans.__('Step %1: tool %2 has ended', step, name);
    }
    case 'notice':
      if (asAmount(last.retry_in) !== undefined) {
        return trans.__('Step %1: the server is asked again soon', step);
      }
  }
  return trans.__('Step %1: waiting for the answer', step);
}

/** Return that a turn has ended, and how. */
export function describeEnd(
  status: ShownStatus,
  trans: TranslationBundle
): string {
  switch (status) {
    case 'done':
      return trans.__('The turn has ended.');
    case 'error':
      return trans.__('The turn has failed.');
    default:
      return trans.__('The turn has ended early.');
  }
}

function toolName(name: unknown): string {
  return visible((asText(name) ?? '?').slice(0, 60));
}
