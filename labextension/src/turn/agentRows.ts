import type { TranslationBundle } from '@jupyterlab/translation';

import type { IBlock } from './model';
import { asAmount, asObjects, asText, isObject } from './reading';
import { formatCount, formatDuration } from './wording';

/*
 * The rows of a tool result: the sub-agents that its call started. Python has the same rules in
 * `msgbook_format.turn.agent_rows`: tests/format/turn/fixtures/agent_rows.json tests both.
 */

/** Rows of one result that are shown. */
const ROWS_LIMIT = 100;

const UNDER_WAY = new Set(['pending', 'running']);

/**
 * Path of a sub-agent's conversation, relative to the folder of the conversation that started it.
 *
 * The project may be a folder above. Only such a path becomes a link. Its name has no separator, no
 * invisible character, and no dot at its beginning.
 */
const SUBAGENT_FILE =
  // eslint-disable-next-line no-control-regex
  /^(?:\.\.\/){0,20}\.msgbook\/subagents\/(?!\.)[^/\\\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\u{e0000}-\u{e007f}]{1,200}\.msg\.md$/u;

/** One row, with text of unknown origin. */
export interface IShownAgent {
  /** Not empty. */
  readonly name: string;
  readonly agent: string;
  /** Status of the row; `interrupted` if it is under way although its call is over. */
  readonly status: string;
  /** Steps, time and tokens, as far as they are known. */
  readonly facts: readonly string[];
  readonly last: string;
  /** Path of the conversation; null if it cannot be opened. */
  readonly file: string | null;
}

/** The rows of a result. */
export interface IAgentRows {
  readonly rows: readonly IShownAgent[];
  /** Ids of the sub-agents in `rows`, as `agentIds` has them. */
  readonly ids: readonly (string | null)[];
  /** Number of rows that are not shown. */
  readonly further: number;
}

/**
 * Return the rows of a tool result.
 *
 * @param live - Whether the turn still runs.
 */
export function agentRows(
  block: IBlock,
  live: boolean,
  trans: TranslationBundle
): IAgentRows {
  const objects = asObjects(block.agents);
  const over = !live || (block.status !== undefined && block.status !== null);
  const shown = objects.slice(0, ROWS_LIMIT);
  return {
    rows: shown.map(row => shownAgent(row, over, trans)),
    ids: agentIds(block),
    further: objects.length - shown.length
  };
}

/** Return the ids of the sub-agents that are shown of a result; null for one without an id. */
export function agentIds(block: IBlock): (string | null)[] {
  return asObjects(block.agents)
    .slice(0, ROWS_LIMIT)
    .map(row => asText(row.uuid) ?? null);
}

/**
 * Return the path of a sub-agent's conversation; null if it is above the server's folder.
 *
 * @param parent - Path of the conversation that started it, which may itself be a sub-agent's.
 */
export function conversationPath(parent: string, file: string): string | null {
  const names = parent.split('/').slice(0, -1);
  const above = file.split('../').length - 1;
  return above > names.length
    ? null
    : [...names.slice(0, names.length - above), file.slice(3 * above)].join(
        '/'
      );
}

/** Return whether a path is that of a sub-agent's conversation. */
export function isSubagentPath(path: string): boolean {
  const start = path.lastIndexOf('.msgbook/');
  return (
    (start === 0 || path.charAt(start - 1) === '/') &&
    SUBAGENT_FILE.test(path.slice(start))
  );
}

/**
 * Return the id of the sub-agent that a question about a call comes from; null for a call of the
 * conversation itself.
 */
export function askerId(callId: string): string | null {
  const end = callId.indexOf('/');
  return end === -1 ? null : callId.slice(0, end);
}

function shownAgent(
  row: Record<string, unknown>,
  over: boolean,
  trans: TranslationBundle
): IShownAgent {
  const told = asText(row.status) ?? '';
  const status = over && UNDER_WAY.has(told) ? 'interrupted' : told;
  const file = asText(row.file) ?? '';
  const canOpen =
    SUBAGENT_FILE.test(file) && status !== 'pending' && status !== 'deleted';
  const agent = asText(row.agent) ?? '';
  return {
    name:
      asText(row.name) ??
      (agent || (asText(row.uuid) ?? trans.__('sub-agent'))),
    agent,
    status,
    facts: facts(row, trans),
    last: asText(row.last) ?? '',
    file: canOpen ? file : null
  };
}

function facts(
  row: Record<string, unknown>,
  trans: TranslationBundle
): string[] {
  const found: string[] = [];
  const steps = asCount(row.steps);
  if (steps) {
    found.push(trans._n('%2 step', '%2 steps', steps, formatCount(steps)));
  }
  const duration = asAmount(row.duration);
  if (duration !== undefined) {
    found.push(formatDuration(duration, trans));
  }
  const usage = isObject(row.usage) ? row.usage : {};
  const sent = asCount(usage.input_tokens);
  const answered = asCount(usage.output_tokens);
  if (sent !== undefined || answered !== undefined) {
    const more = asCount(usage.untold_steps) ? '+?' : '';
    const counts = [sent, answered].map(n => formatCount(n ?? 0) + more);
    found.push(trans.__('%1 → %2 tokens', ...counts));
  }
  return found;
}

function asCount(value: unknown): number | undefined {
  const amount = asAmount(value);
  return amount !== undefined && Number.isInteger(amount) && amount < 1e15
    ? amount
    : undefined;
}
