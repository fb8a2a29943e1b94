import { forEachNotebook, plugin } from './plugin';
import { CodeCell } from '@jupyterlab/cells';
import { IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import {
  INotebookTracker,
  type Notebook,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import {
  bareCellIn,
  isChatNotebook,
  onKernelChoice
} from '../live/chatNotebook';
import { forEachCodeCell } from '../live/codeCells';
import { CellLanguage, promptPlaceholder } from '../prompts/promptKind';
import {
  extendEditor,
  onEditor,
  waitingExtensions
} from '../prompts/promptHover';
import { foldedFirstLine } from '../prompts/foldedLine';
import { bareCells, kindChanged, promptLook } from '../prompts/promptLook';
import { IChatSettings } from '../tokens';
import { attachFiles, Attachments } from '../prompts/attachments';
import { CodeProse } from '../render/codeProse';
import { type IMarkdownRenderer, safeMarkdown } from '../safe/markdown';

/** Plugin that sets prompts as messages, as the user's settings say. */
export const promptsPlugin = plugin({
  id: '@msgbook/labextension:prompts',
  description: 'Shows prompts as messages and not as code.',
  requires: [INotebookTracker, IChatSettings],
  optional: [IEditorExtensionRegistry],
  activate: (_, trans, notebooks, settings, extensions) => {
    extensions?.addExtension(waitingExtensions);
    const join = (panel: NotebookPanel) =>
      new PromptLooks(panel, settings, trans);
    forEachNotebook(notebooks, join);
  }
});

/** The looks of the prompts of one notebook. */
class PromptLooks {
  constructor(
    panel: NotebookPanel,
    private readonly _settings: IChatSettings,
    trans: TranslationBundle
  ) {
    this._panel = panel;
    const look = [
      bareCells.of(() => bareCellIn(panel.sessionContext)),
      promptLook,
      foldedFirstLine(trans),
      promptPlaceholder(
        trans,
        () => bareCellIn(panel.sessionContext) === 'message'
      )
    ];
    forEachCodeCell(panel.content, cell => {
      extendEditor(cell, look);
      this._languages.set(cell, this._languageOf(cell));
      cell.disposed.connect(() => this._languages.delete(cell));
    });
    onKernelChoice(panel, () => this._update());
    this._settings.changed.connect(this._update, this);
    panel.disposed.connect(() =>
      this._settings.changed.disconnect(this._update, this)
    );
    this._update();
  }

  private _languageOf(cell: CodeCell): CellLanguage {
    return new CellLanguage(
      cell,
      () => bareCellIn(this._panel.sessionContext),
      () => this._settings.get('promptsAsProse')
    );
  }

  private _update(): void {
    const { content } = this._panel;
    const settings = this._settings;
    content.toggleClass('msgbook-mod-prose', settings.get('promptsAsProse'));
    content.toggleClass('msgbook-mod-wrapped', settings.get('wrapPrompts'));
    if (content.activeCell) {
      // Its toolbar is shown where the text leaves room.
      MessageLoop.sendMessage(
        content.activeCell,
        Widget.ResizeMessage.UnknownSize
      );
    }
    for (const [cell, language] of this._languages) {
      language.update();
      onEditor(cell, ({ editor }) => {
        editor.dispatch({ effects: kindChanged.of() });
        // The classes change the size of the text.
        editor.requestMeasure();
      });
    }
  }

  private readonly _panel: NotebookPanel;
  private readonly _languages = new Map<CodeCell, CellLanguage>();
}

/** Plugin that takes files which are pasted or dropped into prompts. */
export const promptFilesPlugin = plugin({
  id: '@msgbook/labextension:prompt-files',
  description: 'Inserts references to files that are pasted or dropped.',
  requires: [INotebookTracker],
  activate: (app, trans, notebooks) => {
    const { contents } = app.serviceManager;
    const join = ({ content, context, sessionContext }: NotebookPanel) => {
      const extension = attachFiles(
        new Attachments(contents, () => context.path, trans),
        () => isChatNotebook(sessionContext)
      );
      forEachCodeCell(content, cell => extendEditor(cell, extension));
    };
    forEachNotebook(notebooks, join);
  }
});

/** Plugin that shows the prose around the code of a message file, in notebooks of any kernel. */
export const codeProsePlugin = plugin({
  id: '@msgbook/labextension:code-prose',
  description: 'Shows the text before and after the code of a cell.',
  requires: [INotebookTracker],
  activate: (_, trans, notebooks) => {
    const join = ({ content }: { content: Notebook }) => {
      const markdown = markdownOf(content);
      forEachCodeCell(content, cell => {
        new CodeProse(cell, markdown, trans);
      });
    };
    forEachNotebook(notebooks, join);
  }
});

function markdownOf({ rendermime }: Notebook): IMarkdownRenderer {
  return safeMarkdown({
    mimeType: 'text/markdown',
    sanitizer: rendermime.sanitizer,
    resolver: rendermime.resolver,
    linkHandler: rendermime.linkHandler,
    latexTypesetter: rendermime.latexTypesetter,
    markdownParser: rendermime.markdownParser
  });
}
