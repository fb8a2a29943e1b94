import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { Choice, IApprovalQuestion } from '../comm/approvalMessages';
import type { KernelActivity } from '../turn/wording';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

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

/** MIME type under which JupyterLab shows errors and stderr. */
const STDERR = 'application/vnd.jupyter.stderr';

/** Text of the error output of an interrupted turn, from the kernel's `msgbook.display.failure`. */
const INTERRUPTED = 'KeyboardInterrupt: The turn was interrupted.';

/**
 * Mark errors that only say that a turn was interrupted.
 *
 * The style sheet, which cannot select by text, hides them below a turn that says so itself.
 */
export function markInterruptions(rendermime: IRenderMimeRegistry): void {
  const factory = rendermime.getFactory(STDERR);
  if (factory === undefined) {
    return;
  }
  rendermime.addFactory(
    {
      safe: factory.safe,
      mimeTypes: [STDERR],
      createRenderer: options => {
        const renderer = factory.createRenderer(options);
        const render = renderer.renderModel.bind(renderer);
        renderer.renderModel = model => {
          renderer.node.classList.toggle(
            'msgbook-mod-interruption',
            model.data[STDERR] === INTERRUPTED
          );
          return render(model);
        };
        return renderer;
      }
    },
    rendermime.getRank(STDERR)
  );
}
