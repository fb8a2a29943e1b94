import type { CodeEditor } from '@jupyterlab/codeeditor';
import {
  type Completer,
  type CompletionHandler,
  type ICompletionContext,
  type ICompletionProvider,
  KernelCompleterProvider
} from '@jupyterlab/completer';
import { NotebookPanel } from '@jupyterlab/notebook';
import {
  buildIcon,
  codeIcon,
  fileIcon,
  folderIcon,
  kernelIcon,
  type LabIcon,
  linkIcon,
  offlineBoltIcon,
  settingsIcon,
  tagIcon,
  variableIcon
} from '@jupyterlab/ui-components';
import { agentsIcon } from '../icons';
import { isChatNotebook } from '../live/chatNotebook';
import { visible } from '../turn/text';
import {
  type IAssistKernel,
  type ICompletionList,
  LateAnswers
} from './autoComplete';
import type { IOffered } from './closeReference';
import { isCodeMimeType } from './promptKind';

/** Icons of what a completion stands for. */
const ICONS: Readonly<Record<string, LabIcon>> = {
  agent: agentsIcon,
  attribute: settingsIcon,
  cell: codeIcon,
  file: fileIcon,
  folder: folderIcon,
  macro: tagIcon,
  magic: offlineBoltIcon,
  model: kernelIcon,
  name: variableIcon,
  prefix: linkIcon,
  tool: buildIcon
};

/** Characters of a completion in the list; a longer list would cover what stands beside it. */
const LABEL_LIMIT = 100;

/**
 * Completion in prompts and magics, by the kernel, with icons.
 *
 * It ranks before JupyterLab's own provider, which asks the same and whose equal matches are
 * dropped. What a match brings is the text of an inspection.
 */
export class PromptCompletions implements ICompletionProvider {
  readonly identifier = 'CompletionProvider:msgbook';
  readonly rank = 1000;
  readonly renderer = null;

  constructor(
    /** Returns what answers about the prompts of a notebook. */
    private readonly _kernelOf: (panel: NotebookPanel) => IAssistKernel | null,
    list: ICompletionList
  ) {
    this._late = new LateAnswers(list);
  }

  isApplicable({ widget, editor }: ICompletionContext): Promise<boolean> {
    return Promise.resolve(
      widget instanceof NotebookPanel &&
        isChatNotebook(widget.sessionContext) &&
        !isCodeMimeType(editor?.model.mimeType ?? '') &&
        // Until it is known whether there is a kernel, its answer may come late.
        (!widget.sessionContext.isReady || this._kernelOf(widget) !== null)
    );
  }

  fetch(
    request: CompletionHandler.IRequest,
    context: ICompletionContext
  ): Promise<CompletionHandler.ICompletionItemsReply> {
    return this._late.fetch(request, context, () =>
      this._ask(request, context)
    );
  }

  async resolve(
    item: CompletionHandler.ICompletionItem,
    context: ICompletionContext,
    patch?: Completer.IPatch | null
  ): Promise<CompletionHandler.ICompletionItem> {
    const asking = this._asking(context);
    const resolved = await this._kernel.resolve(item, asking, patch);
    // Where another provider's matches begin later, JupyterLab inserts less of ours, and takes what is
    // returned here for what it inserts.
    return patch ? { ...resolved, insertText: patch.value } : resolved;
  }

  private async _ask(
    request: CompletionHandler.IRequest,
    context: ICompletionContext
  ): Promise<CompletionHandler.ICompletionItemsReply> {
    const panel = context.widget as NotebookPanel;
    if (this._kernelOf(panel) === null) {
      await panel.sessionContext.ready;
    }
    const reply = await this._kernel.fetch(request, this._asking(context));
    const items = reply.items.map(item => {
      const [kind, ...note] = (item.type ?? '').split(':');
      const icon = Object.hasOwn(ICONS, kind) ? ICONS[kind] : undefined;
      const insertText = item.insertText ?? item.label;
      const shown = {
        ...item,
        icon,
        insertText,
        label: shownLabel(item.label)
      };
      return kind === 'cell' ? asCell(shown, note.join(':')) : shown;
    });
    this._offered = items.map(({ type, insertText }) => ({
      kind: (type ?? '').split(':')[0],
      insertText
    }));
    const areCells = items.length > 0 && items.every(isCell);
    // The list is searched for what stands behind the prefix: the words of a cell or its id.
    const prefix = areCells ? beforeId(reply.items[0]) : 0;
    return { ...reply, start: reply.start + prefix, items };
  }

  /** Return a context in which that kernel is asked which can answer now. */
  private _asking(context: ICompletionContext): ICompletionContext {
    const kernel = this._kernelOf(context.widget as NotebookPanel);
    // JupyterLab's provider uses no more of the session.
    return { ...context, session: { kernel } } as ICompletionContext;
  }

  /** What was offered last. */
  get offered(): readonly IOffered[] {
    return this._offered;
  }

  private _offered: readonly IOffered[] = [];
  private readonly _kernel = new KernelCompleterProvider();
  private readonly _late: LateAnswers;
}

/**
 * Give JupyterLab no tokens of a prompt.
 *
 * Beside what a kernel offers, it offers all tokens of an editor that begin like the one at the cursor. In a
 * message, that is its punctuation.
 */
export function withoutTokens(
  editor: Pick<CodeEditor.IEditor, 'getTokens' | 'model'>,
  isChat: () => boolean
): void {
  const getTokens = editor.getTokens.bind(editor);
  editor.getTokens = () =>
    isChat() && !isCodeMimeType(editor.model.mimeType) ? [] : getTokens();
}

/** The beginning of a reference to a cell. */
const CELL = 'cell:';

type Item = CompletionHandler.ICompletionItem & { readonly insertText: string };

/**
 * Return a cell as the list shows it: by its number and first words, before its id.
 *
 * JupyterLab takes the first parenthesis of a label for the beginning of parameters, in which it does
 * not search, and it must find the text that is inserted.
 */
function asCell(item: Item, note: string): Item {
  const id = item.insertText.slice(beforeId(item));
  // The kernel's note has no place where a line could be broken.
  const words = note
    .trim()
    .replace(/\u2060/g, '')
    .replace(/\u00a0/g, ' ');
  const label = `${shownLabel(words)} · ${id}`
    .replace(/\(/g, '\uff08')
    .replace(/\)/g, '\uff09');
  return { ...item, type: 'cell', insertText: id, label };
}

/** Return how much stands before the id: `cell:`, and for another notebook its path. */
function beforeId({
  insertText,
  label
}: CompletionHandler.ICompletionItem): number {
  return (insertText ?? label).lastIndexOf(CELL) + CELL.length;
}

function isCell({ type }: Item): boolean {
  return type === 'cell';
}

/** Return a name as the list shows it: names of files and cells may be long and hold anything. */
function shownLabel(name: string): string {
  const shown = visible(name.slice(0, LABEL_LIMIT + 1));
  return shown.length > LABEL_LIMIT
    ? `${shown.slice(0, LABEL_LIMIT - 1)}…`
    : shown;
}
