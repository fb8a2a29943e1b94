import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import type { Choice, IApprovalQuestion } from '../comm/approvalMessages';
import type { LoadVega } from '../rich/vegaChart';
import type { IMarkdownRenderer } from '../safe/markdown';
import type { IBlock } from '../turn/model';
import type { Act, IConversationLink } from './host';

/** Facts that a view needs beside its block. */
export interface IBlockContext {
  /** All blocks of the turn. */
  readonly blocks: readonly IBlock[];
  /** Whether the block may still change. */
  readonly streaming: boolean;
  /** Line about reasoning that the server keeps to itself; undefined for any other block. */
  readonly hidden?: string;
  /** The kernel's question about this call, if any. */
  readonly question?: IApprovalQuestion;
  /** The kernel's questions about calls of the sub-agents in this result. */
  readonly asked: readonly IApprovalQuestion[];
}

/** View of one block of a turn. */
export interface IBlockView {
  /** The widget, owned by the view's creator. */
  readonly widget: Widget;
  /** Show the block at once; the promise resolves when its Markdown is rendered. */
  update(block: IBlock, context: IBlockContext): void | Promise<void>;
}

/** Tools that views need. */
export interface IViewTools {
  readonly markdown: IMarkdownRenderer;
  readonly trans: TranslationBundle;
  /** Loads what draws the charts of tools; null where nothing does. */
  readonly charts: LoadVega | null;
  /** Return whether the reader trusts the notebook, or has run the cell. */
  isTrusted(): boolean;
  /** Answer a question of the kernel. */
  answer(question: IApprovalQuestion, choice: Choice, reason: string): void;
  /** Return a link to a sub-agent's conversation; null if it cannot be opened from here. */
  conversation(file: string): IConversationLink | null;
  /** Does something with the turn; null where there is no kernel. */
  readonly act: Act | null;
  /** Open the form that connects a model; undefined where there is none. */
  readonly connectModel?: () => void;
}
