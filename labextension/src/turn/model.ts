import type { TurnJson } from './delta';
import { kindOf, TOOL_CALLS, TOOL_RESULTS } from './kinds';
import {
  asAmount,
  asText,
  asTime,
  fields,
  isObject,
  textOrEmpty,
  whole
} from './reading';

/** MIME type of a turn in an output's data bundle. */
export const TURN_MIME = 'application/vnd.msgbook.turn+json';

/** One block of a turn; only `type` is certain, since the rest may come from any file. */
export interface IBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

function isBlock(value: unknown): value is IBlock {
  return isObject(value) && typeof value.type === 'string';
}

function asBlocks(value: unknown): readonly IBlock[] | undefined {
  return Array.isArray(value) && value.every(isBlock) ? value : undefined;
}

/** Tokens of all model calls of a turn. */
const readUsage = fields({
  inputTokens: asAmount,
  cachedTokens: asAmount,
  outputTokens: asAmount,
  reasoningTokens: asAmount,
  /** Model calls whose tokens the server did not report. */
  untoldSteps: asAmount
});

/** Facts about the first request of a turn. */
const readContext = fields({
  /** `live`, `memory` or `file`; absent when there is no history. */
  source: asText,
  /** Earlier cells that gave messages. */
  cells: asAmount
});

export type IContext = ReturnType<typeof readContext>;

const readTurn = whole(
  { blocks: asBlocks },
  {
    /** `running`, `done`, `incomplete`, `interrupted` or `error`; a newer version may write others. */
    status: textOrEmpty,
    finishReason: asText,
    agent: asText,
    model: asText,
    /** The model that answered, if it is another. */
    answeredModel: asText,
    provider: asText,
    /** Milliseconds since the epoch. */
    started: asTime,
    /** Seconds. */
    duration: asAmount,
    usage: readUsage,
    context: readContext
  }
);

/** All that follows one executed prompt. */
export type ITurn = NonNullable<ReturnType<typeof readTurn>>;

/**
 * Return the turn that untrusted JSON holds, null when it holds none.
 *
 * The rule is the one of `msgbook_format.turn.turn_of`: a `version`, a `status` and a list of
 * `blocks`, each an object with a `type` that is a string. Values of a wrong type count as absent.
 */
export function parseTurn(value: unknown): ITurn | null {
  return isObject(value) && 'version' in value && 'status' in value
    ? readTurn(value)
    : null;
}

/** Return whether a model has written anything of a turn. */
export function hasAnswer({ blocks }: Pick<ITurn, 'blocks'>): boolean {
  return blocks.some(block => kindOf(block).isAnswer);
}

/** One part of a tool result. */
export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'other'; readonly json: unknown };

/** Return the parts of a tool result's `content`, which is a string or a list of parts. */
export function resultParts(content: unknown): ResultPart[] {
  if (typeof content === 'string') {
    return content === '' ? [] : [{ kind: 'text', text: content }];
  }
  if (content === undefined || content === null) {
    return [];
  }
  return (Array.isArray(content) ? content : [content]).map(resultPart);
}

function resultPart(part: unknown): ResultPart {
  if (isObject(part) && part.type === 'text' && typeof part.text === 'string') {
    return { kind: 'text', text: part.text };
  }
  const url = imageUrl(part);
  return url === undefined
    ? { kind: 'other', json: part }
    : { kind: 'image', url };
}

/**
 * Return the URL of a part that is an image, as `msgbook_format.turn.image_url` does.
 *
 * tests/format/turn/fixtures/result_parts.json tests both.
 */
function imageUrl(part: unknown): string | undefined {
  if (!isObject(part) || (part.type !== 'image_url' && part.type !== 'image')) {
    return undefined;
  }
  const image = part.image_url;
  return asText(isObject(image) ? image.url : image);
}

/** The call that a result belongs to. */
export interface ICallOfResult {
  readonly call: IBlock;
  /** Whether another call or its result is between the two. */
  readonly apart: boolean;
}

/** Return the arguments that a call ran with: a person's in place of the model's, if there are any. */
export function argumentsOf(call: IBlock | undefined): string {
  return asText(call?.edited_arguments) ?? asText(call?.arguments) ?? '';
}

/**
 * Return the nearest call above `result` with its id; undefined if there is none.
 *
 * Some servers use the same ids in every step.
 */
export function callOf(
  blocks: readonly IBlock[],
  result: IBlock
): ICallOfResult | undefined {
  const above = blocks.slice(0, blocks.indexOf(result));
  const index = above
    .map(block => kindOf(block) === TOOL_CALLS && block.id === result.id)
    .lastIndexOf(true);
  if (index === -1) {
    return undefined;
  }
  const apart = above
    .slice(index + 1)
    .map(kindOf)
    .some(kind => kind === TOOL_CALLS || kind === TOOL_RESULTS);
  return { call: above[index], apart };
}

/** Return the macros of a turn; undefined if it has none or some are not texts. */
export function turnMacros(turn: TurnJson): Record<string, string> | undefined {
  const macros = isObject(turn.context) ? turn.context.macros : undefined;
  const areTexts =
    isObject(macros) &&
    Object.values(macros).every(value => asText(value) !== undefined);
  return areTexts ? (macros as Record<string, string>) : undefined;
}

/** Text that replaces a cell in requests. */
export type Summary = {
  text: string;
  /** Hash of the text that it summarises. */
  source: string;
};

/**
 * Return the summaries of whole cells that a turn made, by cell id; malformed ones are left out.
 */
export function cellSummaries(turn: TurnJson): Map<string, Summary> {
  const found = new Map<string, Summary>();
  const made = isObject(turn.context) ? turn.context.summaries : undefined;
  for (const [key, summary] of Object.entries(isObject(made) ? made : {})) {
    const words = isObject(summary) ? asText(summary.text) : undefined;
    const source = isObject(summary) ? asText(summary.source) : undefined;
    // A key with a slash belongs to a call in a cell.
    if (!key.includes('/') && words !== undefined && source !== undefined) {
      found.set(key, { text: words, source });
    }
  }
  return found;
}

/**
 * Return whether a summary replaces the one that a cell has under `summary`.
 *
 * A summary without a source is a person's own and stays. One of the same source may have been
 * edited.
 */
export function supersedes(summary: Summary, before: unknown): boolean {
  return (
    before === undefined ||
    (isObject(before) &&
      typeof before.source === 'string' &&
      before.source !== summary.source)
  );
}
