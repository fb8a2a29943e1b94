import { asAmount, asObjects, asText, asTexts, isObject } from '../turn/model';
import type {
  IRequestCell,
  IRequestMessage,
  IShownRequest,
  ISwitch,
  ISwitches,
  SwitchKind
} from './contextAnswers';
import { asHistory } from './historyMessages';

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
