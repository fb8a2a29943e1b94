import type { JSONObject } from '@lumino/coreutils';

import { isObject, text } from '../turn/model';

/** What a person may decide: this once, for the session, always for this call, not at all. */
export type Choice = 'once' | 'session' | 'rule' | 'no';

const CHOICES: readonly Choice[] = ['once', 'session', 'rule', 'no'];

/** The kernel's question whether a call may be made (docs/protocol.md). */
export interface IApprovalQuestion {
  /** Unguessable, and good for one answer. */
  readonly requestId: string;
  readonly cellId: string;
  readonly callId: string;
  /** Name of the tool. */
  readonly name: string;
  /** JSON, as the model sent it. */
  readonly arguments: string;
  /** Why the call is not free. */
  readonly reason: string;
  /** A unified diff of what a file would become; else empty. */
  readonly preview: string;
  readonly choices: readonly Choice[];
}

/** The question in a comm message, null when there is none or it is not well formed. */
export function parseQuestion(data: unknown): IApprovalQuestion | null {
  if (!isObject(data) || data.type !== 'approval.ask') {
    return null;
  }
  const requestId = text(data.request_id);
  const cellId = text(data.cell_id);
  const callId = text(data.call_id);
  const name = text(data.name);
  if (
    !requestId ||
    !cellId ||
    !callId ||
    !name ||
    typeof data.arguments !== 'string'
  ) {
    return null;
  }
  const offered: unknown[] = Array.isArray(data.choices) ? data.choices : [];
  return {
    requestId,
    cellId,
    callId,
    name,
    arguments: data.arguments,
    reason: text(data.reason) ?? '',
    preview: text(data.preview) ?? '',
    choices: CHOICES.filter(choice => offered.includes(choice))
  };
}

/** The id of the question that a comm message closes, null when it closes none. */
export function parseClosed(data: unknown): string | null {
  return isObject(data) && data.type === 'approval.closed'
    ? (text(data.request_id) ?? null)
    : null;
}

/** The answer to a question, with the arguments that were shown. */
export function approvalAnswer(
  question: IApprovalQuestion,
  choice: Choice,
  reason: string
): JSONObject {
  return {
    type: 'approval.answer',
    request_id: question.requestId,
    decision: choice,
    arguments: question.arguments,
    ...(choice === 'no' && reason !== '' ? { reason } : {})
  };
}
