import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type Notebook } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { forEachCodeCell } from '../live/codeCells';
import { CodeProse } from '../render/codeProse';
import { safeMarkdown, type IMarkdownRenderer } from '../safe/markdown';

/** Plugin that shows the prose around the code of a message file, in notebooks of any kernel. */
export const codeProsePlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:code-prose',
  description: 'Shows the text before and after the code of a cell.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator],
  activate: (
    _: JupyterFrontEnd,
    notebooks: INotebookTracker,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const join = ({ content }: { content: Notebook }) => {
      const markdown = markdownOf(content);
      forEachCodeCell(content, cell => {
        new CodeProse(cell, markdown, trans);
      });
    };
    notebooks.forEach(join);
    notebooks.widgetAdded.connect((_, panel) => join(panel));
  }
};

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
