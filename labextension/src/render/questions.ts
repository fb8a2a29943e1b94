import type { IApprovalQuestion } from '../comm/approvalMessages';
import type { IBlock } from '../turn/model';

/** A block with the question about it. */
export interface IAskedBlock {
  readonly block: IBlock;
  readonly question?: IApprovalQuestion;
}

/**
 * Return the blocks, each with its question.
 *
 * A question goes to the last call with its id. A question without a call gets a block of its own,
 * since the kernel waits for its answer.
 */
export function withQuestions(
  blocks: readonly IBlock[],
  questions: readonly IApprovalQuestion[]
): IAskedBlock[] {
  const asked: IAskedBlock[] = blocks.map(block => ({ block }));
  for (const question of questions) {
    const index = blocks
      .map(({ type, id }) => type === 'tool_call' && id === question.callId)
      .lastIndexOf(true);
    if (index === -1 || asked[index].question !== undefined) {
      asked.push({ block: { type: 'tool_call' }, question });
    } else {
      asked[index] = { block: blocks[index], question };
    }
  }
  return asked;
}
