import type { JSONObject } from '@lumino/coreutils';
import {
  asAmount,
  asText,
  asTexts,
  asTime,
  fields,
  isTrue,
  listOf,
  oneOf,
  or,
  textOrEmpty,
  whole
} from '../turn/reading';

const CHOICES = ['once', 'session', 'rule', 'edit', 'no'] as const;

/**
 * Decision of a person: approve once, for the session, always for this call, deny, or ask again with
 * other arguments.
 */
export type Choice = (typeof CHOICES)[number];

/** Return the question of an `approval.ask` (docs/protocol.md); null if it is not well formed. */
export const parseQuestion = whole(
  {
    /** Unguessable, and good for one answer. */
    requestId: asText,
    cellId: asText,
    /** For a sub-agent's call: its id, a slash, and the call's id in its conversation. */
    callId: asText,
    /** Name of the tool. */
    name: asText,
    /** JSON, as the model sent it or as a person wrote it. */
    arguments: value => (typeof value === 'string' ? value : undefined)
  },
  {
    /** Absent for a call; `message` for a question about sending the prompt although a reference cannot be read. */
    subject: oneOf('message'),
    /** Names from the conversation's own sub-agent to the one that asks; empty for its own calls. */
    asker: strings,
    /** Whether a person wrote the arguments. */
    edited: isTrue,
    /** Why `draft`, which the person wrote last, does not fit the tool; empty if nothing is wrong. */
    problem: textOrEmpty,
    draft: textOrEmpty,
    /** Reason why the call needs approval. */
    reason: textOrEmpty,
    /** Unified diff of the change to a file; empty for other calls. */
    preview: textOrEmpty,
    choices: (value: unknown): readonly Choice[] => {
      const offered = strings(value);
      return CHOICES.filter(choice => offered.includes(choice));
    }
  }
);

/** The kernel's question whether a call may run. */
export type IApprovalQuestion = NonNullable<ReturnType<typeof parseQuestion>>;

function strings(value: unknown): readonly string[] {
  const all: unknown[] = Array.isArray(value) ? value : [];
  return all.filter(one => typeof one === 'string');
}

/**
 * Return the answer to a question, with the arguments that were shown.
 *
 * @param words - Reason of a denial, or the other arguments.
 */
export function approvalAnswer(
  question: IApprovalQuestion,
  choice: Choice,
  words: string
): JSONObject {
  return {
    type: 'approval.answer',
    request_id: question.requestId,
    decision: choice,
    arguments: question.arguments,
    ...(choice === 'no' && words !== '' ? { reason: words } : {}),
    ...(choice === 'edit' ? { edited_arguments: words } : {})
  };
}

const parseRule = whole(
  {
    key: asText,
    /** Where it comes from (docs/protocol.md, `approvals.list`). */
    kind: oneOf('session', 'answer', 'own', 'settings'),
    tool: asText
  },
  {
    /** JSON; null for any arguments. */
    arguments: or(asText, null),
    /** Empty for any folder. */
    folder: textOrEmpty,
    /** Real path for which it holds; empty for any. */
    path: textOrEmpty,
    /** Number of calls that it has allowed. */
    count: or(asAmount, 0),
    /** Time of the last of them, in milliseconds since the epoch; absent if that is not known. */
    last: asTime
  }
);

/** An approval that holds for later calls; texts are of unknown origin. */
export type IRule = NonNullable<ReturnType<typeof parseRule>>;

/** Return the answer to `approvals.list`; what is not well formed is left out. */
export const parseRules = fields({
  policy: textOrEmpty,
  folder: textOrEmpty,
  tools: asTexts,
  rules: listOf(parseRule)
});

/** The approvals of a kernel. */
export type IRules = ReturnType<typeof parseRules>;
