import type { TranslationBundle } from '@jupyterlab/translation';

import type { IContext, ITurn } from './model';

/** How a turn stands, as shown: the file's status, unless it may be that nothing runs it any more. */
export type ShownStatus =
  'running' | 'connecting' | 'done' | 'incomplete' | 'interrupted' | 'error';

/** Whether a kernel is at work on a turn; `connecting` while none was reached to know. */
export type AtWork = 'running' | 'connecting' | 'idle';

/** Magic that asks for the rest of an answer. */
const CONTINUE = '%continue';

/** Finish reasons after which `%continue` may get the rest. */
const CONTINUABLE = new Set(['length', 'insufficient_system_resource']);

const STATUSES = new Set([
  'running',
  'done',
  'incomplete',
  'interrupted',
  'error'
]);

/** The status to show. */
export function shownStatus(turn: ITurn, atWork: AtWork): ShownStatus {
  if (turn.status === 'running') {
    return atWork === 'idle' ? 'interrupted' : atWork;
  }
  return STATUSES.has(turn.status)
    ? (turn.status as ShownStatus)
    : 'incomplete';
}

/** A duration for reading: `< 0.1 s`, `0.4 s`, `12 s`, `2 min 5 s`. */
export function seconds(duration: number): string {
  if (duration < 0.1) {
    return '< 0.1 s';
  }
  return duration < 10
    ? `${duration.toFixed(1)} s`
    : wholeSeconds(Math.round(duration));
}

/** A ticking duration, without the decimals that would flicker. */
export function wholeSeconds(duration: number): string {
  const whole = Math.max(0, Math.floor(duration));
  return whole < 60
    ? `${whole} s`
    : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A number of tokens or bytes with the digits grouped. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Why the turn ended as it did, in a few words; empty for a turn that is done. */
export function ending(
  status: ShownStatus,
  finishReason: string | undefined,
  trans: TranslationBundle
): string {
  if (status === 'running' || status === 'done') {
    return '';
  }
  if (status === 'connecting') {
    return trans.__('connecting to the kernel');
  }
  if (status === 'interrupted') {
    return trans.__('interrupted');
  }
  const words = finishReason && reasonWords(finishReason, trans);
  if (status === 'error') {
    return words ? trans.__('failed: %1', words) : trans.__('failed');
  }
  if (!words) {
    return trans.__('incomplete; %1 goes on', CONTINUE);
  }
  return CONTINUABLE.has(finishReason)
    ? trans.__('incomplete: %1; %2 goes on', words, CONTINUE)
    : trans.__('incomplete: %1', words);
}

/**
 * The words of a finish reason, empty where the turn ended well.
 *
 * They are those of `msgbook_format.turn.finish_reasons`, and one fixture tests both.
 */
function reasonWords(finishReason: string, trans: TranslationBundle): string {
  switch (finishReason) {
    case 'length':
      return trans.__('the answer reached the length limit');
    case 'content_filter':
      return trans.__("the provider's content filter stopped the answer");
    case 'insufficient_system_resource':
      return trans.__('the provider was short of resources');
    case 'max_steps':
      return trans.__('the limit of model calls was reached');
    case 'budget':
      return trans.__('the budget was used up');
    case 'repeated_failure':
      return trans.__('the same call failed too often');
    case 'stop':
    case 'tool_calls':
      return '';
    default:
      return trans.__('“%1”', finishReason);
  }
}

/** Where the earlier cells came from and how many they are. */
export function history(context: IContext, trans: TranslationBundle): string {
  const { cells } = context;
  if (cells === undefined) {
    return '';
  }
  if (cells === 0) {
    return trans.__('no earlier cells');
  }
  const number = trans._n('%1 earlier cell', '%1 earlier cells', cells, cells);
  switch (context.source) {
    case 'live':
      return trans.__('%1, as on this page', number);
    case 'memory':
      return trans.__('%1, as this session remembers them', number);
    case 'file':
      return trans.__('%1, as saved in the file', number);
    default:
      return number;
  }
}

/** The tokens of a turn in short; empty when the provider reported none. */
export function tokens(turn: ITurn, trans: TranslationBundle): string {
  const { inputTokens, outputTokens } = turn.usage;
  if (inputTokens === undefined && outputTokens === undefined) {
    return '';
  }
  const more = turn.usage.untoldSteps ? '+?' : '';
  return trans.__(
    '%1 → %2 tokens',
    count(inputTokens ?? 0) + more,
    count(outputTokens ?? 0) + more
  );
}

/** What the header line leaves out, one fact a line. */
export function particulars(turn: ITurn, trans: TranslationBundle): string {
  const { usage } = turn;
  const facts: [string, number | undefined][] = [
    [trans.__('Input tokens'), usage.inputTokens],
    [trans.__('of these cached'), usage.cachedTokens],
    [trans.__('Output tokens'), usage.outputTokens],
    [trans.__('of these reasoning'), usage.reasoningTokens],
    [trans.__('Model calls without a count'), usage.untoldSteps || undefined]
  ];
  const lines = facts
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => `${label}: ${count(value!)}`);
  const context = history(turn.context, trans);
  return [
    ...(turn.provider ? [trans.__('Provider: %1', turn.provider)] : []),
    ...(turn.started !== undefined
      ? [trans.__('Started: %1', new Date(turn.started).toLocaleString())]
      : []),
    ...(context ? [trans.__('Context: %1', context)] : []),
    ...lines
  ].join('\n');
}
