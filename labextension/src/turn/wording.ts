import type { TranslationBundle } from '@jupyterlab/translation';

import type { IContext, ITurn } from './model';
import { shownText } from './text';

/** Status of a turn as shown, which depends on the saved status and on the kernel. */
export type ShownStatus =
  'running' | 'connecting' | 'done' | 'incomplete' | 'interrupted' | 'error';

/** Activity of the kernel for a turn; `connecting` until the kernel is reached. */
export type KernelActivity = 'running' | 'connecting' | 'idle';

/** Magic that asks for the rest of an answer. */
const CONTINUE = '%continue';

/** Finish reasons after which `%continue` may get the rest. */
const CONTINUABLE = new Set([
  'incomplete',
  'insufficient_system_resource',
  'length'
]);

const STATUSES = new Set([
  'running',
  'done',
  'incomplete',
  'interrupted',
  'error'
]);

/** Return the status to show. */
export function shownStatus(
  turn: ITurn,
  activity: KernelActivity
): ShownStatus {
  if (turn.status === 'running') {
    return activity === 'idle' ? 'interrupted' : activity;
  }
  return STATUSES.has(turn.status)
    ? (turn.status as ShownStatus)
    : 'incomplete';
}

/** Return a duration for reading: `< 0.1 s`, `0.4 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(
  duration: number,
  trans: TranslationBundle
): string {
  if (duration < 0.1) {
    return trans.__('< 0.1 s');
  }
  return duration < 10
    ? trans.__('%1 s', duration.toFixed(1))
    : formatWholeSeconds(Math.round(duration), trans);
}

/** Return a running duration in whole seconds, since decimals would flicker. */
export function formatWholeSeconds(
  duration: number,
  trans: TranslationBundle
): string {
  const whole = Math.max(0, Math.floor(duration));
  return whole < 60
    ? trans.__('%1 s', whole)
    : trans.__('%1 min %2 s', Math.floor(whole / 60), whole % 60);
}

/** One for all: to make it takes longer than to use it a thousand times. */
const COUNTS = new Intl.NumberFormat('en-US');

/** Return a number of tokens or bytes with grouped digits. */
export function formatCount(value: number): string {
  return COUNTS.format(value);
}

/** Return how a turn ended, in a few words; empty for a turn that runs or is done. */
export function describeEnding(
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
 * Return the words of a finish reason; empty if the turn ended well.
 *
 * They are those of `msgbook_format.turn.model`, and one fixture tests both.
 */
function reasonWords(finishReason: string, trans: TranslationBundle): string {
  const words = new Map([
    ['length', trans.__('the answer reached the length limit')],
    [
      'content_filter',
      trans.__("the provider's content filter stopped the answer")
    ],
    [
      'insufficient_system_resource',
      trans.__('the provider was short of resources')
    ],
    ['incomplete', trans.__('the provider ended the answer early')],
    ['max_steps', trans.__('the limit of model calls was reached')],
    ['budget', trans.__('the budget was used up')],
    ['answer_limit', trans.__('the answer was too long')],
    ['repeated_failure', trans.__('the same call was made too often')],
    ['stop', ''],
    ['tool_calls', '']
  ]);
  return words.get(finishReason) ?? trans.__('“%1”', finishReason);
}

/** Return the number of earlier cells and where they were read from. */
export function describeHistory(
  context: IContext,
  trans: TranslationBundle
): string {
  const { cells } = context;
  if (cells === undefined) {
    return '';
  }
  if (cells === 0) {
    return trans.__('no earlier cells');
  }
  const number = trans._n('%1 earlier cell', '%1 earlier cells', cells, cells);
  const placed = new Map([
    ['live', trans.__('%1, as on this page', number)],
    ['memory', trans.__('%1, as this session remembers them', number)],
    ['file', trans.__('%1, as saved in the file', number)]
  ]);
  return placed.get(context.source ?? '') ?? number;
}

/**
 * Return the model of a turn, with the one that answered if it is another; may be empty.
 *
 * The words are those of `msgbook_format.turn.wording`;
 * tests/format/turn/fixtures/turn_wording.json tests both.
 */
export function describeModel(turn: ITurn, trans: TranslationBundle): string {
  const { model, answeredModel } = turn;
  return model && answeredModel && model !== answeredModel
    ? trans.__('%1 (answered by %2)', model, answeredModel)
    : (model ?? answeredModel ?? '');
}

/** Return the tokens of a turn in short; empty if the provider reported none. */
export function describeTokens(turn: ITurn, trans: TranslationBundle): string {
  const { inputTokens, outputTokens } = turn.usage;
  if (inputTokens === undefined && outputTokens === undefined) {
    return '';
  }
  return tokenWords(
    inputTokens ?? 0,
    outputTokens ?? 0,
    !turn.usage.untoldSteps,
    trans
  );
}

/**
 * Return the tokens that were sent and received in short.
 *
 * @param isComplete - False if a server has not told all of them.
 */
export function tokenWords(
  sent: number,
  received: number,
  isComplete: boolean,
  trans: TranslationBundle
): string {
  const counts = [formatCount(sent), formatCount(received)];
  return isComplete
    ? trans.__('%1 → %2 tokens', ...counts)
    : trans.__('at least %1 → %2 tokens', ...counts);
}

/** Return the facts that the header line leaves out, one per line. */
export function describeDetails(turn: ITurn, trans: TranslationBundle): string {
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
    .map(([label, value]) => trans.__('%1: %2', label, formatCount(value!)));
  const context = describeHistory(turn.context, trans);
  return [
    ...(turn.provider ? [trans.__('Provider: %1', turn.provider)] : []),
    ...(turn.started !== undefined
      ? [trans.__('Started: %1', new Date(turn.started).toLocaleString())]
      : []),
    ...(context ? [trans.__('Context: %1', context)] : []),
    ...lines
  ].join('\n');
}

/** Return the status of a sub-agent or of a result in words; an unknown one as it is. */
export function statusWords(status: string, trans: TranslationBundle): string {
  const words = new Map([
    ['pending', trans.__('waiting')],
    ['running', trans.__('running')],
    ['done', trans.__('done')],
    ['incomplete', trans.__('incomplete')],
    ['error', trans.__('failed')],
    ['denied', trans.__('denied')],
    ['interrupted', trans.__('interrupted')],
    ['deleted', trans.__('deleted')]
  ]);
  return words.get(status) ?? shownText(status);
}
