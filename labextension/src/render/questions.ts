import type { IApprovalQuestion } from '../comm/approvalMessages';
import { agentIds, askerId } from '../turn/agentRows';
import type { IBlock } from '../turn/model';

/** A block with the question about it. */
export interface IAskedBlock {
  readonly block: IBlock;
  readonly question?: IApprovalQuestion;
  /** Questions about calls of the sub-agents in this result. */
  readonly asked: readonly IApprovalQuestion[];
}

/** No questions, always the same object. */
const NONE: readonly IApprovalQuestion[] = [];

/**
 * Return the blocks, each with its question.
 *
 * A question goes to the last call with its id, and that of a sub-agent to the result that has its
 * row. Any other question gets a block of its own, since the kernel waits for its answer.
 */
export function withQuestions(
  blocks: readonly IBlock[],
  questions: readonly IApprovalQuestion[]
): IAskedBlock[] {
  const asked: IAskedBlock[] = blocks.map(block => ({ block, asked: NONE }));
  for (const question of questions) {
    const { asker, callId } = question;
    // The model chooses the ids of the conversation's own calls; one may have a slash.
    const own = asker.length === 0 ? callId : null;
    const row = own === null ? rowOf(blocks, callId) : -1;
    const index = blocks
      .map(({ type, id }) => type === 'tool_call' && id === own)
      .lastIndexOf(true);
    if (row !== -1) {
      const others = asked[row].asked;
      asked[row] = { block: blocks[row], asked: [...others, question] };
    } else if (index === -1 || asked[index].question !== undefined) {
      asked.push({ block: { type: 'tool_call' }, question, asked: NONE });
    } else {
      asked[index] = { block: blocks[index], question, asked: NONE };
    }
  }
  return asked;
}

/** Return the index of the running result with the row of the sub-agent that asks, else -1. */
function rowOf(blocks: readonly IBlock[], callId: string): number {
  const id = askerId(callId);
  return id === null
    ? -1
    : blocks.map(block => agentIds(block).includes(id)).lastIndexOf(true);
}
