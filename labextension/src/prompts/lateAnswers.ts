import type {
  CompletionHandler,
  ICompletionContext
} from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';

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
 * Opens JupyterLab's list of completions with answers that come when it no longer waits for them.
 *
 * A kernel that starts, or a busy machine, may need longer than JupyterLab waits.
 */
export class LateAnswers {
  constructor(list: ICompletionList) {
    this._list = list;
  }

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
      if (
        isDropped &&
        number === this._asked &&
        reply.items.length > 0 &&
        isStillAt(request, editor)
      ) {
        this._late = { request, editor, reply };
        this._list.open(widget);
      }
      return reply;
    } finally {
      window.clearTimeout(timer);
    }
  }

  private readonly _list: ICompletionList;
  private _asked = 0;
  private _late: ILate | null = null;
}

/** Return whether a person is still where completions were asked for, and has written nothing since. */
function isStillAt(
  { text, offset }: IRequest,
  editor: Place['editor']
): boolean {
  if (!editor || editor.isDisposed || !editor.hasFocus()) {
    return false;
  }
  const cursor = editor.getOffsetAt(editor.getCursorPosition());
  return (
    editor.model.sharedModel.getSource() === text &&
    Text.jsIndexToCharIndex(cursor, text) === offset
  );
}
