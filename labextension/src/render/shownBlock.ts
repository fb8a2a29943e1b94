import { JSONExt, type JSONObject } from '@lumino/coreutils';

import type { IApprovalQuestion } from '../comm/approvalMessages';
import type { IBlock } from '../turn/model';
import type { IBlockView } from './blockView';

/** State of a block that decides how it looks. */
export interface IBlockState {
  readonly block: IBlock;
  /** Whether the block may still change. */
  readonly streaming: boolean;
  /** Line about reasoning that the server keeps to itself; undefined for any other block. */
  readonly hidden: string | undefined;
  readonly question: IApprovalQuestion | undefined;
  readonly asked: readonly IApprovalQuestion[];
}

/** A view and the state that it shows. */
export interface IShownBlock {
  readonly type: string;
  readonly view: IBlockView;
  block: IBlock | null;
  streaming: boolean;
  hidden: string | undefined;
  question: IApprovalQuestion | undefined;
  asked: readonly IApprovalQuestion[];
  rendered: Promise<void>;
}

/** Return whether a view, if there is one, shows this state already. */
export function isShown(
  shown: IShownBlock | undefined,
  { block, streaming, hidden, question, asked }: IBlockState
): boolean {
  return (
    shown !== undefined &&
    shown.block !== null &&
    shown.streaming === streaming &&
    shown.hidden === hidden &&
    shown.question === question &&
    shown.asked.length === asked.length &&
    shown.asked.every((one, i) => one === asked[i]) &&
    (shown.block === block ||
      JSONExt.deepEqual(shown.block as JSONObject, block as JSONObject))
  );
}

/** Return whether a block of a running turn may change although others follow it. */
export function mayChange({ type, approval, status }: IBlock): boolean {
  return (
    approval === 'pending' || (type === 'tool_result' && status === undefined)
  );
}
