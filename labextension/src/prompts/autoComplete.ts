import type { ISessionContext } from '@jupyterlab/apputils';
import { type Extension, Transaction } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import { bareCells, holdsPrompt } from './promptLook';
import type {
  CompletionHandler,
  ICompletionContext
} from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { PageConnection } from '../live/pageConnection';

// After these, what can follow is known: the beginning of a reference or a macro, a folder in a
// reference, a value of a `%%msg` line.
const IN_PROMPT =
  /(?:@\[|\{\{|@\[[^\]\n:{]*\/|@\[(?:cell|py):|^\s*%%msg(?:\s.*)?\s(?:agent|model|history)=)$/;
const MAGIC = /^\s*%{1,2}$/;
const MAGIC_VALUE = /^\s*%(?:agent default|model) $/;

/** Return whether the list of completions opens by itself after `before`, the line up to the cursor. */
export function opensList(before: string, inPrompt: boolean): boolean {
  return (
    MAGIC.test(before) ||
    MAGIC_VALUE.test(before) ||
    (inPrompt && IN_PROMPT.test(before))
  );
}

/**
 * Open the list of completions while a person types, or has chosen the beginning of a longer one.
 *
 * @param openList - Opens the list; a later try is for a person who is still there.
 */
export function autoComplete(
  isOn: () => boolean,
  openList: (isWanted: () => boolean) => void
): Extension {
  return EditorView.updateListener.of(update => {
    const { docChanged, state, view } = update;
    if (docChanged && isOn() && isWritten(update) && wantsList(view)) {
      // JupyterLab's completer has to see the change first.
      window.setTimeout(() =>
        openList(() => view.state.doc.eq(state.doc) && wantsList(view))
      );
    }
  });
}

/**
 * Open the list of completions of a notebook, and try again when its session is there.
 *
 * Before that, JupyterLab may not know the editor yet and opens nothing.
 */
export function openListSoon(
  session: Pick<ISessionContext, 'isReady' | 'ready'>,
  open: () => void,
  isWanted: () => boolean
): void {
  open();
  if (!session.isReady) {
    void session.ready.then(() =>
      // JupyterLab takes the editor in tasks of its own.
      window.setTimeout(() => {
        if (isWanted()) {
          open();
        }
      })
    );
  }
}

/**
 * Close JupyterLab's list, if it is open: it would go on to filter what it has.
 *
 * It closes when a key is pressed outside of the editor, and has no other way for an extension.
 */
export function closeList(): void {
  document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Unidentified' })
  );
}

function wantsList({ hasFocus, state }: EditorView): boolean {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const before = line.text.slice(0, head - line.from);
  const inPrompt = holdsPrompt(state);
  // Python's cells complete as in all its notebooks.
  const isOurs = inPrompt || state.facet(bareCells)() !== 'python';
  return hasFocus && empty && isOurs && opensList(before, inPrompt);
}

/** Return whether a person wrote the change, or took it from the list; not if it was undone. */
function isWritten({ transactions }: ViewUpdate): boolean {
  return transactions.some(
    one =>
      one.isUserEvent('input.type') ||
      (one.selection !== undefined &&
        one.annotation(Transaction.userEvent) === undefined)
  );
}

type IRequest = CompletionHandler.IRequest;
type IReply = CompletionHandler.ICompletionItemsReply;
type Place = Pick<ICompletionContext, 'editor' | 'widget'>;

/** JupyterLab's list of completions. */
export interface ICompletionList {
  /** Return after how many milliseconds an answer is dropped. */
  patience(): number;
  /** Ask for completions at the cursor of a document, unless its list is open. */
  open(document: Place['widget']): void;
}

interface ILate {
  readonly request: IRequest;
  readonly editor: Place['editor'];
  readonly reply: IReply;
}

/**
 * Opens JupyterLab's list of completions where it drops an answer.
 *
 * It drops what comes too late: a kernel that starts, or a busy machine, may need longer than it waits.
 * And it drops what a person who writes fast has outrun: then they are asked for again.
 */
export class LateAnswers {
  constructor(private readonly _list: ICompletionList) {}

  /** Return the answer that has come late to this request; otherwise ask. */
  async fetch(
    request: IRequest,
    place: Place,
    ask: () => Promise<IReply>
  ): Promise<IReply> {
    const late = this._late;
    this._late = null;
    return late !== null &&
      late.editor === place.editor &&
      late.request.text === request.text &&
      late.request.offset === request.offset
      ? late.reply
      : this._ask(request, place, ask);
  }

  private async _ask(
    request: IRequest,
    { editor, widget }: Place,
    ask: () => Promise<IReply>
  ): Promise<IReply> {
    const number = ++this._asked;
    // JupyterLab sets the same timer after this one.
    let isDropped = false;
    const timer = window.setTimeout(() => {
      isDropped = true;
    }, this._list.patience());
    try {
      const reply = await ask();
      if (number === this._asked && reply.items.length > 0) {
        if (isDropped && isStillAt(request, editor)) {
          this._late = { request, editor, reply };
          this._list.open(widget);
        } else if (hasWrittenOn(request, editor)) {
          this._list.open(widget);
        }
      }
      return reply;
    } finally {
      window.clearTimeout(timer);
    }
  }

  private _asked = 0;
  private _late: ILate | null = null;
}

/** Return whether a person is still where completions were asked for, and has written nothing since. */
function isStillAt(
  { text, offset }: IRequest,
  editor: Place['editor']
): boolean {
  const now = stateOf(editor);
  return (
    now !== null &&
    now.text === text &&
    now.cursor === Text.charIndexToJsIndex(offset, text)
  );
}

/** Return whether a person has only written on in the word for which completions were asked. */
function hasWrittenOn(
  { text, offset }: IRequest,
  editor: Place['editor']
): boolean {
  const now = stateOf(editor);
  if (now === null) {
    return false;
  }
  const asked = Text.charIndexToJsIndex(offset, text);
  const written = now.text.slice(asked, now.cursor);
  return (
    /^\S+$/.test(written) &&
    now.text === text.slice(0, asked) + written + text.slice(asked)
  );
}

/** Return the text and the cursor of the editor in which a person writes; null if they have left it. */
function stateOf(
  editor: Place['editor']
): { readonly text: string; readonly cursor: number } | null {
  return editor && !editor.isDisposed && editor.hasFocus()
    ? {
        text: editor.model.sharedModel.getSource(),
        cursor: editor.getOffsetAt(editor.getCursorPosition())
      }
    : null;
}

/** What answers about a prompt while it is written. */
export type IAssistKernel = Pick<
  Kernel.IKernelConnection,
  'requestComplete' | 'requestInspect'
>;

/** Milliseconds to wait for an answer about a prompt; later nobody needs it. */
const PATIENCE = 5_000;

/**
 * Return what answers about the prompts of a notebook; null without a kernel.
 *
 * While a turn runs, ordinary requests wait for its end. Then the comm is asked.
 */
export function assistKernel({
  cells,
  panel,
  queries
}: PageConnection): IAssistKernel | null {
  const kernel = panel.sessionContext.session?.kernel ?? null;
  if (kernel === null || (kernel.status === 'idle' && !cells.isAnyRunning())) {
    return kernel;
  }
  const ask = async (
    name: string,
    { code, cursor_pos }: { code: string; cursor_pos: number }
  ): Promise<JSONObject> => ({
    content: await queries.ask(name, { code, cursor_pos }, PATIENCE)
  });
  // The content of an answer is that of the ordinary reply. A kernel that does not know the query,
  // or a cell of Python, gets the ordinary request, which waits.
  return {
    requestComplete: content =>
      ask('assist.complete', content).catch(() =>
        kernel.requestComplete(content)
      ) as Promise<KernelMessage.ICompleteReplyMsg>,
    requestInspect: content =>
      ask('assist.inspect', content).catch(() =>
        kernel.requestInspect(content)
      ) as Promise<KernelMessage.IInspectReplyMsg>
  };
}
