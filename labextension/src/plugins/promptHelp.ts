import type { JupyterFrontEnd } from '@jupyterlab/application';
import { forEachNotebook, plugin } from './plugin';
import { COMPLETER_ACTIVE_CLASS } from '@jupyterlab/codeeditor';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import {
  CompletionProviderManager,
  ICompletionProviderManager
} from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { isChatNotebook } from '../live/chatNotebook';
import { forEachCodeCell } from '../live/codeCells';
import type { PageConnection } from '../live/pageConnection';
import {
  assistKernel,
  autoComplete,
  closeList,
  type IAssistKernel,
  openListSoon
} from '../prompts/autoComplete';
import {
  closedReferences,
  closeIfChosen,
  closeReference,
  contentAt,
  endsReference
} from '../prompts/closeReference';
import { PromptCompletions, withoutTokens } from '../prompts/promptCompletions';
import { extendEditor, onEditor, promptHover } from '../prompts/promptHover';
import { IChatSettings, IPageConnections } from '../tokens';

/** Plugin that completes and explains what a person writes into a prompt. */
export const promptHelpPlugin = plugin({
  id: '@msgbook/labextension:prompt-help',
  description:
    'Completes references, agents and magics, and shows what they bring.',
  requires: [INotebookTracker, IChatSettings, IPageConnections],
  optional: [ICompletionProviderManager, ISettingRegistry],
  activate: (
    app,
    _trans,
    notebooks,
    settings,
    connections,
    manager,
    registry
  ) => {
    const kernelOf = (panel: NotebookPanel) => assistOf(connections.of(panel));
    const join = (panel: NotebookPanel) =>
      helpIn(panel, () => kernelOf(panel), settings, manager);
    forEachNotebook(notebooks, join);
    // Until JupyterLab has read its settings, it does not wait at all.
    let patience = 0;
    if (manager !== null) {
      const completions = new PromptCompletions(kernelOf, {
        patience: () => patience,
        open: panel => manager.invoke(panel.id)
      });
      manager.registerProvider(completions);
      manager.selected.connect(() =>
        closeIn(notebooks.currentWidget, completions)
      );
    }
    if (manager === null || registry === null) {
      return;
    }
    completerSettings(app, registry).then(
      own => {
        const take = () => {
          patience = own.get('providerTimeout').composite as number;
        };
        own.changed.connect(take);
        take();
        if (manager instanceof CompletionProviderManager) {
          showPreviews(app, manager, notebooks, settings, own);
        }
      },
      (reason: unknown) =>
        console.error('The settings of completion cannot be read.', reason)
    );
  }
});

/** Close the reference that a person has completed in a chat. */
function closeIn(
  panel: NotebookPanel | null,
  { offered }: PromptCompletions
): void {
  const cell = panel?.content.activeCell;
  if (!panel || !cell?.editor || !isChatNotebook(panel.sessionContext)) {
    return;
  }
  // JupyterLab has no other editor.
  const { editor: view, host } = cell.editor as CodeMirrorEditor;
  const ends = endsReference(offered, contentAt(view.state) ?? '');
  if (ends === 'unsure') {
    closeIfChosen(view, () => host.classList.contains(COMPLETER_ACTIVE_CLASS));
  } else if (ends) {
    closeReference(view);
  }
}

/** Return what answers about the prompts of a notebook; null without our kernel. */
function assistOf(
  connection: PageConnection | undefined
): IAssistKernel | null {
  return connection?.isChat ? assistKernel(connection) : null;
}

/** Open completions in the prompts of a notebook by themselves, and explain what the mouse points at. */
function helpIn(
  panel: NotebookPanel,
  kernelOf: () => IAssistKernel | null,
  settings: IChatSettings,
  manager: ICompletionProviderManager | null
): void {
  const isOn = () =>
    isChatNotebook(panel.sessionContext) && settings.get('completePrompts');
  const extensions = [
    closedReferences,
    autoComplete(isOn, isWanted =>
      openListSoon(
        panel.sessionContext,
        () => {
          closeList();
          manager?.invoke(panel.id);
        },
        isWanted
      )
    ),
    promptHover((text, offset) => inspect(kernelOf(), text, offset))
  ];
  forEachCodeCell(panel.content, cell => {
    extendEditor(cell, extensions);
    onEditor(cell, editor =>
      withoutTokens(editor, () => isChatNotebook(panel.sessionContext))
    );
  });
}

async function inspect(
  kernel: IAssistKernel | null,
  text: string,
  offset: number
): Promise<string | null> {
  if (kernel === null) {
    return null;
  }
  const { content } = await kernel.requestInspect({
    code: text,
    cursor_pos: Text.jsIndexToCharIndex(offset, text),
    detail_level: 0
  });
  const shown = content.status === 'ok' ? content.data['text/plain'] : null;
  return typeof shown === 'string' ? shown : null;
}

/** Return JupyterLab's settings of its completer. */
async function completerSettings(
  app: JupyterFrontEnd,
  registry: ISettingRegistry
): Promise<ISettingRegistry.ISettings> {
  // They cannot be read before JupyterLab knows all providers.
  await app.restored;
  return registry.load('@jupyterlab/completer-extension:manager');
}

/**
 * Show JupyterLab's preview beside completions while a chat is in front.
 *
 * It is off by default, for all documents at once; the user's own setting holds for the others.
 */
function showPreviews(
  app: JupyterFrontEnd,
  manager: CompletionProviderManager,
  notebooks: INotebookTracker,
  settings: IChatSettings,
  own: ISettingRegistry.ISettings
): void {
  const update = () => {
    const panel = notebooks.currentWidget;
    const isChat =
      panel !== null &&
      panel === app.shell.currentWidget &&
      isChatNotebook(panel.sessionContext);
    manager.setShowDocumentationPanel(
      (isChat && settings.get('previewCompletions')) ||
        own.get('showDocumentationPanel').composite === true
    );
  };
  notebooks.currentChanged.connect((_, panel) => {
    update();
    // Until its kernel is chosen, a notebook is no chat.
    void panel?.sessionContext.ready.then(update);
  });
  notebooks.activeCellChanged.connect(update);
  app.shell.currentChanged?.connect(update);
  settings.changed.connect(update);
  // JupyterLab sets the panel by its own setting just before.
  manager.activeProvidersChanged.connect(update);
  update();
}
