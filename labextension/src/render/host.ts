import type { ReadonlyJSONObject } from '@lumino/coreutils';

import type { Choice, IApprovalQuestion } from '../comm/approval';
import type { AtWork } from '../turn/words';

/** What the page knows of the cell that an output stands in. */
export type Execution = AtWork | 'unknown';

/** What a turn's surroundings know of it beyond its output. */
export interface ITurnHost {
  /** Whether `node` stands in the output of a cell that is being executed. */
  execution(node: Node): Execution;
  /** The turn that `node` shows as it stands now; null where the output says it all. */
  current(node: Node): ReadonlyJSONObject | null;
  /** What the kernel asks about the turn that `node` shows. */
  questions(node: Node): readonly IApprovalQuestion[];
  answer(question: IApprovalQuestion, choice: Choice, reason: string): void;
}

/** Where nothing is known: a console, a viewer. */
export const NO_HOST: ITurnHost = {
  execution: () => 'unknown',
  current: () => null,
  questions: () => [],
  answer: () => undefined
};
