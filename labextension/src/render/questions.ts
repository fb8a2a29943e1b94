import type { IApprovalQuestion } from '../comm/approval';
import type { IBlock } from '../turn/model';

/** A block with the question about it. */
export interface IAskedBlock {
  readonly block: IBlock;
  readonly question?: IApprovalQuestion;
}

/**
 * The blocks, each with its question.
 *
 * A question goes to the last call with its id. One whose call is not there gets a block of its
 * own: it is what the kernel waits for.
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
