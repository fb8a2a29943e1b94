import { asAmount, isObject } from '../turn/model';

/** A sum of counts, of which some may not be known. */
export interface ITotal {
  readonly known: number | null;
  readonly is_complete: boolean;
}

/** The answer to `usage.total` (docs/protocol.md). */
export interface IUsage {
  readonly turns: number;
  readonly input: ITotal;
  readonly cached: ITotal;
  readonly output: ITotal;
  readonly cost: ITotal;
  readonly window_share: number | null;
}

/** Return the answer to `usage.total`; numbers that are absent or wrong count as not known. */
export function parseUsage(answer: Record<string, unknown>): IUsage {
  return {
    turns: asAmount(answer.turns) ?? 0,
    input: parseTotal(answer.input),
    cached: parseTotal(answer.cached),
    output: parseTotal(answer.output),
    cost: parseTotal(answer.cost),
    window_share: asAmount(answer.window_share) ?? null
  };
}

function parseTotal(value: unknown): ITotal {
  const total = isObject(value) ? value : {};
  return {
    known: asAmount(total.known) ?? null,
    is_complete: total.is_complete === true
  };
}
