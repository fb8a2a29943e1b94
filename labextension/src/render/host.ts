import type { ReadonlyJSONObject } from '@lumino/coreutils';

import type { Choice, IApprovalQuestion } from '../comm/approvalMessages';
import type { KernelActivity } from '../turn/wording';

/** State of the cell around an output, as far as the page knows. */
export type Execution = KernelActivity | 'unknown';

/** Facts about a turn that its output does not hold. */
export interface ITurnHost {
  /** Return whether the cell around `node` is running. */
  execution(node: Node): Execution;
  /** Return the live turn that `node` shows; null if its output is up to date. */
  currentTurn(node: Node): ReadonlyJSONObject | null;
  /** Return the kernel's questions about the turn that `node` shows. */
  questions(node: Node): readonly IApprovalQuestion[];
  answer(question: IApprovalQuestion, choice: Choice, reason: string): void;
}

/** Host of turns in a console or viewer, where nothing else is known. */
export const NO_HOST: ITurnHost = {
  execution: () => 'unknown',
  currentTurn: () => null,
  questions: () => [],
  answer: () => undefined
};
