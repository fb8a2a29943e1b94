import {
  KernelCompleterProvider,
  type Completer,
  type CompletionHandler,
  type ICompletionContext,
  type ICompletionProvider
} from '@jupyterlab/completer';
import { NotebookPanel } from '@jupyterlab/notebook';
import {
  codeIcon,
  fileIcon,
  folderIcon,
  kernelIcon,
  linkIcon,
  offlineBoltIcon,
  settingsIcon,
  tagIcon,
  variableIcon,
  buildIcon,
  type LabIcon
} from '@jupyterlab/ui-components';

import { agentsIcon } from '../icons';
import { isChatNotebook } from '../live/chatNotebook';
import { visible } from '../turn/text';
import type { IAssistKernel } from './assistKernel';
import { LateAnswers, type ICompletionList } from './lateAnswers';
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

  /** @param kernelOf - Returns what answers about the prompts of a notebook. */
  constructor(
    kernelOf: (panel: NotebookPanel) => IAssistKernel | null,
    list: ICompletionList
  ) {
    this._kernelOf = kernelOf;
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

  resolve(
    item: CompletionHandler.ICompletionItem,
    context: ICompletionContext,
    patch?: Completer.IPatch | null
  ): Promise<CompletionHandler.ICompletionItem> {
    return this._kernel.resolve(item, this._asking(context), patch);
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
      const [kind] = (item.type ?? '').split(':');
      const icon = Object.hasOwn(ICONS, kind) ? ICONS[kind] : undefined;
      const insertText = item.insertText ?? item.label;
      return { ...item, icon, insertText, label: shownLabel(item.label) };
    });
    return { ...reply, items };
  }

  /** Return a context in which that kernel is asked which can answer now. */
  private _asking(context: ICompletionContext): ICompletionContext {
    const kernel = this._kernelOf(context.widget as NotebookPanel);
    // JupyterLab's provider uses no more of the session.
    return { ...context, session: { kernel } } as ICompletionContext;
  }

  private readonly _kernel = new KernelCompleterProvider();
  private readonly _kernelOf: (panel: NotebookPanel) => IAssistKernel | null;
  private readonly _late: LateAnswers;
}

/** Return a name as the list shows it: names of files and cells may be long and hold anything. */
function shownLabel(name: string): string {
  const shown = visible(name.slice(0, LABEL_LIMIT + 1));
  return shown.length > LABEL_LIMIT
    ? `${shown.slice(0, LABEL_LIMIT - 1)}…`
    : shown;
}
