import type { JSONObject } from '@lumino/coreutils';
import { asAmount, asText, isObject } from '../turn/model';
import type { IMessage } from './handlers';

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
  /** For a sub-agent's call: its id, a slash, and the call's id in its conversation. */
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

/** Return the question of an `approval.ask`; null if it is not well formed. */
export function parseQuestion(data: IMessage): IApprovalQuestion | null {
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

/** Where a rule comes from (docs/protocol.md, `approvals.list`). */
export type RuleKind = 'session' | 'answer' | 'own' | 'settings';

/** An approval that holds for later calls; texts are of unknown origin. */
export interface IRule {
  readonly key: string;
  readonly kind: RuleKind;
  readonly tool: string;
  /** JSON; null for any arguments. */
  readonly arguments: string | null;
  /** Empty for any folder. */
  readonly folder: string;
  /** Real path for which it holds; empty for any. */
  readonly path: string;
  /** Number of calls that it has allowed. */
  readonly count: number;
  /** Time of the last of them; null if that is not known. */
  readonly last: Date | null;
}

/** The approvals of a kernel. */
export interface IRules {
  readonly policy: string;
  readonly folder: string;
  readonly tools: readonly string[];
  readonly rules: readonly IRule[];
}

const KINDS: readonly RuleKind[] = ['session', 'answer', 'own', 'settings'];

/** Return the answer to `approvals.list`; what is not well formed is left out. */
export function parseRules(answer: Record<string, unknown>): IRules {
  const tools: unknown[] = Array.isArray(answer.tools) ? answer.tools : [];
  const rules: unknown[] = Array.isArray(answer.rules) ? answer.rules : [];
  return {
    policy: asText(answer.policy) ?? '',
    folder: asText(answer.folder) ?? '',
    tools: tools.filter(name => typeof name === 'string'),
    rules: rules.map(parseRule).filter(rule => rule !== null)
  };
}

function parseRule(value: unknown): IRule | null {
  if (!isObject(value)) {
    return null;
  }
  const key = asText(value.key);
  const tool = asText(value.tool);
  const kind = KINDS.find(known => known === value.kind);
  if (key === undefined || tool === undefined || kind === undefined) {
    return null;
  }
  const last = Date.parse(asText(value.last) ?? '');
  return {
    key,
    kind,
    tool,
    arguments: asText(value.arguments) ?? null,
    folder: asText(value.folder) ?? '',
    path: asText(value.path) ?? '',
    count: asAmount(value.count) ?? 0,
    last: Number.isNaN(last) ? null : new Date(last)
  };
}
