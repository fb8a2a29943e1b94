import { isObject, asAmount, asText } from '../turn/model';

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
