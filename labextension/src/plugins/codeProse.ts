import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, type Notebook } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

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
    const join = ({ content }: { content: Notebook }) =>
      forEachCodeCell(content, markdownOf(content), (cell, markdown) => {
        new CodeProse(cell, markdown, trans);
      });
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

/** Call `made` for each code cell of a notebook, now and when one is added. */
function forEachCodeCell(
  notebook: Notebook,
  markdown: IMarkdownRenderer,
  made: (cell: CodeCell, markdown: IMarkdownRenderer) => void
): void {
  const add = (start: number, end?: number) => {
    for (const cell of notebook.widgets.slice(start, end)) {
      if (cell instanceof CodeCell) {
        made(cell, markdown);
      }
    }
  };
  // The notebook makes the widgets in its own slots, which were connected before.
  const onModel = () => {
    notebook.model?.cells.changed.connect(
      (_, { type, newIndex, newValues }) => {
        if (type === 'add') {
          add(newIndex, newIndex + newValues.length);
        }
      }
    );
    add(0);
  };
  notebook.modelChanged.connect(onModel);
  onModel();
}
