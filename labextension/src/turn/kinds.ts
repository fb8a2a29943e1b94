/** A kind of blocks: what differs by kind and is no function. */
export interface IKind {
  /** The `type` of its blocks; empty for kinds that nobody knows. */
  readonly name: string;
  /** Key of what it says; empty if that is no text. */
  readonly content: string;
  /** Stands before what it says where there is nothing but text. */
  readonly sign: string;
  /** Whether a model writes it, piece by piece. */
  readonly isAnswer: boolean;
}

function kind(
  name: string,
  content: string,
  sign: string,
  isAnswer = false
): IKind {
  return { name, content, sign, isAnswer };
}

export const TEXTS = kind('text', 'text', '', true);
export const REASONINGS = kind('reasoning', 'text', '💭', true);
export const TOOL_CALLS = kind('tool_call', 'arguments', '🔧', true);
export const TOOL_RESULTS = kind('tool_result', 'content', '📝');
export const DISPLAYS = kind('display', '', '🖼️');
export const NOTICES = kind('notice', 'text', 'ℹ️');
export const ERRORS = kind('error', 'message', '❌');

/**
 * The kinds of blocks, a row each: those of `msgbook_format.turn.kinds`.
 *
 * tests/format/turn/fixtures/kinds.json tests both. The functions stand in tables of the modules that
 * they belong to, by these rows: views in `render/blockViews.ts`.
 */
export const KINDS: readonly IKind[] = [
  TEXTS,
  REASONINGS,
  TOOL_CALLS,
  TOOL_RESULTS,
  DISPLAYS,
  NOTICES,
  ERRORS
];

/** A kind of a newer version. */
const UNKNOWN = kind('', '', '❔');

const BY_NAME = new Map(KINDS.map(row => [row.name, row]));

/** Return the kind of a block, or of anything else that names it. */
export function kindOf({ type }: { readonly type: string }): IKind {
  return BY_NAME.get(type) ?? UNKNOWN;
}
