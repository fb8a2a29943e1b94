import type { TurnJson } from './delta';
import { isObject, text } from './model';

/** The macros that were in force in a turn; undefined where it does not say, or not soundly. */
export function turnMacros(turn: TurnJson): Record<string, string> | undefined {
  const macros = isObject(turn.context) ? turn.context.macros : undefined;
  const sound =
    isObject(macros) &&
    Object.values(macros).every(value => text(value) !== undefined);
  return sound ? (macros as Record<string, string>) : undefined;
}
