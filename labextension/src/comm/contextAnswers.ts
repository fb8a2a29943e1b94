import {
  asAmount,
  asText,
  asTexts,
  fields,
  isTrue,
  listOf,
  oneOf,
  or,
  textOrEmpty,
  whole
} from '../turn/reading';
import { asHistory } from './turnMessages';

/*
 * Answers to the queries `context.*` and `usage.total` (docs/protocol.md). Fields that are absent or
 * have a wrong type count as empty.
 */

const count = or(asAmount, 0);

function share(value: unknown): number | undefined {
  const amount = asAmount(value);
  return amount === undefined ? undefined : Math.min(1, amount);
}

/** One message of a request. Tokens are estimated. */
const parseMessage = fields({
  index: count,
  role: textOrEmpty,
  tokens: count,
  /** Share of it that the server may have kept, 0 to 1. */
  kept: or(share, 0)
});

export type IRequestMessage = ReturnType<typeof parseMessage>;

/** A cell of a request, or one that is left out of it. */
const parseCell = fields({
  /** Null for a prompt that is not written yet. */
  id: or(asText, null),
  /** Its place in the notebook, from 1. */
  number: count,
  title: textOrEmpty,
  kind: textOrEmpty,
  history: or(asHistory, 'include'),
  /** Whether its `%%msg` line sets `history`. */
  by_line: isTrue,
  is_stale: isTrue,
  messages: listOf(parseMessage)
});

export type IRequestCell = ReturnType<typeof parseCell>;

const readSwitch = fields({
  name: textOrEmpty,
  shown: asText,
  /** Where it comes from. */
  origin: textOrEmpty,
  note: textOrEmpty,
  /** Whether the model gets it. */
  is_on: isTrue,
  /** Whether something else than the notebook decides about it. */
  is_fixed: isTrue,
  tokens: or(asAmount, null)
});

/** Return a rule, a skill, a macro, an MCP server or a tool, with the name as it is shown. */
function parseSwitch(value: unknown) {
  const { shown, ...item } = readSwitch(value);
  return item.name === '' ? null : { ...item, shown: shown ?? item.name };
}

export type ISwitch = NonNullable<ReturnType<typeof parseSwitch>>;

/** Things of one kind that a conversation can bring beside its cells. */
const parseSwitches = whole(
  { kind: oneOf('rules', 'skills', 'macros', 'mcp_servers', 'tools') },
  {
    /** What decides in place of the notebook; empty if the notebook does. */
    by: textOrEmpty,
    items: listOf(parseSwitch)
  }
);

export type ISwitches = NonNullable<ReturnType<typeof parseSwitches>>;

export type SwitchKind = ISwitches['kind'];

const readRequest = fields({
  agent: textOrEmpty,
  model: or(asText, null),
  provider: textOrEmpty,
  hash: textOrEmpty,
  tokens: count,
  // Nothing fits in a window of 0 tokens: its size is not known.
  window: value => count(value) || null,
  /** Tokens that are kept free for the answer. */
  reserved: count,
  tools: fields({ count, tokens: count, kept: or(share, 0) }),
  system: listOf(parseMessage),
  /** In document order; the last one is the prompt. */
  cells: listOf(parseCell),
  cache: fields({ share: or(share, null), changes: asTexts }),
  switches: listOf(parseSwitches),
  notices: asTexts
});

/** What a cell would send now. */
export type IShownRequest = ReturnType<typeof readRequest>;

/** Return the answer to `context.request`; null for an answer without the cell of the prompt. */
export function parseRequest(answer: unknown): IShownRequest | null {
  const request = readRequest(answer);
  return request.cells.length === 0 ? null : request;
}

/** A sum of counts, of which some may not be known. */
const total = fields({ known: or(asAmount, null), is_complete: isTrue });

/** Return the answer to `usage.total`; numbers that are absent or wrong count as not known. */
export const parseUsage = fields({
  turns: count,
  input: total,
  cached: total,
  output: total,
  cost: total,
  window_share: or(asAmount, null),
  /** Where prices come from that the user has not set, and the day of the newest. */
  prices: whole({ source: asText, date: asText })
});

export type IUsage = ReturnType<typeof parseUsage>;
