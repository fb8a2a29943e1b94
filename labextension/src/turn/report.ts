import { argumentsOf, asText, isObject, type IBlock } from './model';

/** Return the text with which a sub-agent ends its task; null for a call of another tool. */
export function reportOf(call: IBlock): string | null {
  if (call.name !== 'task_finish') {
    return null;
  }
  try {
    const given: unknown = JSON.parse(argumentsOf(call));
    return isObject(given) ? (asText(given.context_summary) ?? null) : null;
  } catch {
    return null;
  }
}
