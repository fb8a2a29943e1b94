import type { JSONObject } from '@lumino/coreutils';

import { isObject, asText } from '../turn/model';

/**
 * Decision of a person: approve once, for the session, always for this call, deny, or ask again with
 * other arguments.
 */
export type Choice = 'once' | 'session' | 'rule' | 'edit' | 'no';

const CHOICES: readonly Choice[] = ['once', 'session', 'rule', 'edit', 'no'];

/** The kernel's question whether a call may run (docs/protocol.md). */
export interface IApprovalQuestion {
  /** Unguessable, and good for one answer. */
  readonly requestId: string;
  /** Absent for a call; `message` for a question about sending the prompt although a reference cannot be read. */
  readonly subject?: 'message';
  readonly cellId: string;
  /** Of a sub-agent's call: its id, a slash, and the call's id in its conversation. */
  readonly callId: string;
  /** Names from the conversation's own sub-agent to the one that asks; empty for its own calls. */
  readonly asker: readonly string[];
  /** Name of the tool. */
  readonly name: string;
  /** JSON, as the model sent it or as a person wrote it. */
  readonly arguments: string;
  /** Whether a person wrote the arguments. */
  readonly edited: boolean;
  /** Why `draft`, which the person wrote last, does not fit the tool; empty if nothing is wrong. */
  readonly problem: string;
  readonly draft: string;
  /** Reason why the call needs approval. */
  readonly reason: string;
  /** Unified diff of the change to a file; empty for other calls. */
  readonly preview: string;
  readonly choices: readonly Choice[];
}

/** Return the question in a comm message; null if there is none or it is not well formed. */
export function parseQuestion(data: unknown): IApprovalQuestion | null {
  if (!isObject(data) || data.type !== 'approval.ask') {
    return null;
  }
  const requestId = asText(data.request_id);
  const cellId = asText(data.cell_id);
  const callId = asText(data.call_id);
  const name = asText(data.name);
  if (
    !requestId ||
    !cellId ||
    !callId ||
    !name ||
    typeof data.arguments !== 'string'
  ) {
    return null;
  }
  const asker: unknown[] = Array.isArray(data.asker) ? data.asker : [];
  const offered: unknown[] = Array.isArray(data.choices) ? data.choices : [];
  return {
    requestId,
    subject: data.subject === 'message' ? 'message' : undefined,
    cellId,
    callId,
    asker: asker.filter(one => typeof one === 'string'),
    name,
    arguments: data.arguments,
    edited: data.edited === true,
    problem: asText(data.problem) ?? '',
    draft: asText(data.draft) ?? '',
    reason: asText(data.reason) ?? '',
    preview: asText(data.preview) ?? '',
    choices: CHOICES.filter(choice => offered.includes(choice))
  };
}

/** Return the id of the question that a comm message closes; null if it closes none. */
export function parseClosed(data: unknown): string | null {
  return isObject(data) && data.type === 'approval.closed'
    ? (asText(data.request_id) ?? null)
    : null;
}

/** Return the id of the question that this page answered too late; null if none. */
export function parseLate(data: unknown): string | null {
  return isObject(data) && data.type === 'approval.late'
    ? (asText(data.request_id) ?? null)
    : null;
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
