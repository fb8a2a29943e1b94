import { asHistory, type History } from './turnMessages';
import { asAmount, asObjects, asText, asTexts, isObject } from '../turn/model';

/** Answers to the queries `context.*` (docs/protocol.md, `The request of a cell`). */

/** One message of a request. Tokens are estimated. */
export interface IRequestMessage {
  readonly index: number;
  readonly role: string;
  readonly tokens: number;
  /** Share of it that the server may have kept, 0 to 1. */
  readonly kept: number;
}

/** A cell of a request, or one that is left out of it. */
export interface IRequestCell {
  /** Null for a prompt that is not written yet. */
  readonly id: string | null;
  /** Its place in the notebook, from 1. */
  readonly number: number;
  readonly title: string;
  readonly kind: string;
  readonly history: History;
  /** Whether its `%%msg` line sets `history`. */
  readonly by_line: boolean;
  readonly is_stale: boolean;
  readonly messages: readonly IRequestMessage[];
}

/** What a cell would send now. */
export interface IShownRequest {
  readonly agent: string;
  readonly model: string | null;
  readonly provider: string;
  readonly hash: string;
  readonly tokens: number;
  readonly window: number | null;
  /** Tokens that are kept free for the answer. */
  readonly reserved: number;
  readonly tools: {
    readonly count: number;
    readonly tokens: number;
    readonly kept: number;
  };
  readonly system: readonly IRequestMessage[];
  /** In document order; the last one is the prompt. */
  readonly cells: readonly IRequestCell[];
  readonly cache: {
    readonly share: number | null;
    readonly changes: readonly string[];
  };
  readonly switches: readonly ISwitches[];
  readonly notices: readonly string[];
}

/** A rule, a skill, a macro, an MCP server or a tool. */
export interface ISwitch {
  readonly name: string;
  /** The name as it is shown. */
  readonly shown: string;
  /** Where it comes from. */
  readonly origin: string;
  readonly note: string;
  /** Whether the model gets it. */
  readonly is_on: boolean;
  /** Whether something else than the notebook decides about it. */
  readonly is_fixed: boolean;
  readonly tokens: number | null;
}

export type SwitchKind =
  'rules' | 'skills' | 'macros' | 'mcp_servers' | 'tools';

/** Things of one kind that a conversation can bring beside its cells. */
export interface ISwitches {
  readonly kind: SwitchKind;
  /** What decides in place of the notebook; empty if the notebook does. */
  readonly by: string;
  readonly items: readonly ISwitch[];
}

const KINDS: readonly SwitchKind[] = [
  'rules',
  'skills',
  'macros',
  'mcp_servers',
  'tools'
];

/**
 * Return the answer to `context.request`; null for an answer without the cell of the prompt.
 *
 * Fields that are absent or have a wrong type count as empty.
 */
export function parseRequest(answer: unknown): IShownRequest | null {
  if (!isObject(answer)) {
    return null;
  }
  const cells = asObjects(answer.cells).map(parseCell);
  if (cells.length === 0) {
    return null;
  }
  const tools = isObject(answer.tools) ? answer.tools : {};
  const cache = isObject(answer.cache) ? answer.cache : {};
  return {
    agent: asText(answer.agent) ?? '',
    model: asText(answer.model) ?? null,
    provider: asText(answer.provider) ?? '',
    hash: asText(answer.hash) ?? '',
    tokens: count(answer.tokens),
    // Nothing fits in a window of 0 tokens: its size is not known.
    window: count(answer.window) || null,
    reserved: count(answer.reserved),
    tools: {
      count: count(tools.count),
      tokens: count(tools.tokens),
      kept: share(tools.kept) ?? 0
    },
    system: asObjects(answer.system).map(parseMessage),
    cells,
    cache: { share: share(cache.share), changes: asTexts(cache.changes) },
    switches: asObjects(answer.switches)
      .map(parseSwitches)
      .filter(group => group !== null),
    notices: asTexts(answer.notices)
  };
}

function parseCell(cell: Record<string, unknown>): IRequestCell {
  return {
    id: asText(cell.id) ?? null,
    number: count(cell.number),
    title: asText(cell.title) ?? '',
    kind: asText(cell.kind) ?? '',
    history: asHistory(cell.history) ?? 'include',
    by_line: cell.by_line === true,
    is_stale: cell.is_stale === true,
    messages: asObjects(cell.messages).map(parseMessage)
  };
}

function parseMessage(message: Record<string, unknown>): IRequestMessage {
  return {
    index: count(message.index),
    role: asText(message.role) ?? '',
    tokens: count(message.tokens),
    kept: share(message.kept) ?? 0
  };
}

function parseSwitches(group: Record<string, unknown>): ISwitches | null {
  const kind = KINDS.find(known => known === group.kind);
  return kind === undefined
    ? null
    : {
        kind,
        by: asText(group.by) ?? '',
        items: asObjects(group.items)
          .map(parseSwitch)
          .filter(item => item.name !== '')
      };
}

function parseSwitch(item: Record<string, unknown>): ISwitch {
  const name = asText(item.name) ?? '';
  return {
    name,
    shown: asText(item.shown) ?? name,
    origin: asText(item.origin) ?? '',
    note: asText(item.note) ?? '',
    is_on: item.is_on === true,
    is_fixed: item.is_fixed === true,
    tokens: asAmount(item.tokens) ?? null
  };
}

function count(value: unknown): number {
  return asAmount(value) ?? 0;
}

function share(value: unknown): number | null {
  const amount = asAmount(value);
  return amount === undefined ? null : Math.min(1, amount);
}

/** A sum of counts, of which some may not be known. */
export interface ITotal {
  readonly known: number | null;
  readonly is_complete: boolean;
}

/** The answer to `usage.total` (docs/protocol.md). */
export interface IUsage {
  readonly turns: number;
  readonly input: ITotal;
  readonly cached: ITotal;
  readonly output: ITotal;
  readonly cost: ITotal;
  readonly window_share: number | null;
  /** Where prices come from that the user has not set, and the day of the newest. */
  readonly prices: { readonly source: string; readonly date: string } | null;
}

/** Return the answer to `usage.total`; numbers that are absent or wrong count as not known. */
export function parseUsage(answer: Record<string, unknown>): IUsage {
  return {
    turns: asAmount(answer.turns) ?? 0,
    input: parseTotal(answer.input),
    cached: parseTotal(answer.cached),
    output: parseTotal(answer.output),
    cost: parseTotal(answer.cost),
    window_share: asAmount(answer.window_share) ?? null,
    prices: parsePrices(answer.prices)
  };
}

function parsePrices(value: unknown): IUsage['prices'] {
  const prices = isObject(value) ? value : {};
  const [source, date] = [asText(prices.source), asText(prices.date)];
  return source && date ? { source, date } : null;
}

function parseTotal(value: unknown): ITotal {
  const total = isObject(value) ? value : {};
  return {
    known: asAmount(total.known) ?? null,
    is_complete: total.is_complete === true
  };
}
