import type { TurnJson } from './delta';
import { isObject, asText } from './model';

/** Return the macros of a turn; undefined if it has none or some are not texts. */
export function turnMacros(turn: TurnJson): Record<string, string> | undefined {
  const macros = isObject(turn.context) ? turn.context.macros : undefined;
  const areTexts =
    isObject(macros) &&
    Object.values(macros).every(value => asText(value) !== undefined);
  return areTexts ? (macros as Record<string, string>) : undefined;
}
