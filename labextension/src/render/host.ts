import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { Widget } from '@lumino/widgets';
import type { Choice, IApprovalQuestion } from '../comm/approvalMessages';
import type { LoadVega } from '../rich/vegaChart';
import type { IMarkdownRenderer } from '../safe/markdown';
import type { IBlock } from '../turn/model';
import type { KernelActivity } from '../turn/wording';

/** State of the cell around an output, as far as the page knows. */
export type Execution = KernelActivity | 'unknown';

/** Link to another conversation. */
export interface IConversationLink {
  /** Address for a tab or window of its own. */
  readonly url: string;
  open(): void;
}

/** What a person can do with a turn, beside answering its questions. */
export type TurnAction =
  | { readonly kind: 'continue' }
  /** Stop the turn. */
  | { readonly kind: 'interrupt' }
  /** Run the prompt again. */
  | { readonly kind: 'again' }
  /** Choose another model in a list at `anchor`, and run the prompt again. */
  | { readonly kind: 'model'; readonly anchor: Element }
  /** Show the answer that the last run has replaced, or the new one again. */
  | { readonly kind: 'swap' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'stop'; readonly uuid: string };

/** Does something with a turn; resolves when it is done, or when a person was told why not. */
export type Act = (action: TurnAction) => Promise<void>;

/** What the place of a turn lets a person do with it. */
export interface ITurnOffers {
  /** Whether an interrupt of this page's kernel stops it while it runs. */
  readonly stop: boolean;
  /** Whether the next prompt continues it. */
  readonly isContinued: boolean;
  /** The other answer of the prompt that can be shown. */
  readonly other: 'earlier' | 'later' | null;
}

export const NO_OFFERS: ITurnOffers = {
  stop: false,
  isContinued: false,
  other: null
};

/** Facts about a turn that its output does not hold. */
export interface ITurnHost {
  /** Return whether the cell around `node` is running. */
  execution(node: Node): Execution;
  /** Return the live turn that `node` shows; null if its output is up to date. */
  currentTurn(node: Node): ReadonlyJSONObject | null;
  /** Return the kernel's questions about the turn that `node` shows. */
  questions(node: Node): readonly IApprovalQuestion[];
  answer(question: IApprovalQuestion, choice: Choice, reason: string): void;
  /**
   * Return a link to a sub-agent's conversation; null if it cannot be opened from here.
   *
   * @param file - Path relative to the folder of the conversation that is shown.
   */
  conversation(file: string): IConversationLink | null;
  offers(node: Node): ITurnOffers;
  /** Does something with the turn that `node` shows; null where there is no kernel. */
  readonly act: ((node: Node, action: TurnAction) => Promise<void>) | null;
  /** Open the form that connects a model; undefined where there is none. */
  readonly connectModel?: () => void;
}

/** Host of turns in a console or viewer, where nothing else is known. */
export const NO_HOST: ITurnHost = {
  execution: () => 'unknown',
  currentTurn: () => null,
  questions: () => [],
  answer: () => undefined,
  conversation: () => null,
  offers: () => NO_OFFERS,
  act: null
};

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
