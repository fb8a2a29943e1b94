import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import type { Choice, IApprovalQuestion } from '../comm/approval';
import type { IMarkdownRenderer } from '../safe/markdown';
import type { IBlock } from '../turn/model';

/** What a view has to know beside its block. */
export interface IBlockContext {
  /** All blocks of the turn. */
  readonly blocks: readonly IBlock[];
  /** Whether the block may still change. */
  readonly streaming: boolean;
  /** What the kernel asks about this call, if anything. */
  readonly question?: IApprovalQuestion;
}

/** Shows one block of a turn, and its later states. */
export interface IBlockView {
  /** Owned by whoever made the view. */
  readonly widget: Widget;
  /** Show the block at once; a promise resolves when its Markdown is rendered. */
  update(block: IBlock, context: IBlockContext): void | Promise<void>;
}

/** What views are made with. */
export interface IViewTools {
  readonly markdown: IMarkdownRenderer;
  readonly trans: TranslationBundle;
  /** Answers a question of the kernel. */
  answer(question: IApprovalQuestion, choice: Choice, reason: string): void;
}
