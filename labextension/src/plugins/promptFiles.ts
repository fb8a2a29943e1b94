import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { isChatNotebook } from '../live/chatNotebook';
import { forEachCodeCell } from '../live/codeCells';
import { attachFiles } from '../prompts/attachFiles';
import { Attachments } from '../prompts/attachments';
import { extendEditor } from '../prompts/promptEditor';

/** Plugin that takes files which are pasted or dropped into prompts. */
export const promptFilesPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:prompt-files',
  description: 'Inserts references to files that are pasted or dropped.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const { contents } = app.serviceManager;
    const join = ({ content, context, sessionContext }: NotebookPanel) => {
      const extension = attachFiles(
        new Attachments(contents, () => context.path, trans),
        () => isChatNotebook(sessionContext)
      );
      forEachCodeCell(content, cell => extendEditor(cell, extension));
    };
    notebooks.forEach(join);
    notebooks.widgetAdded.connect((_, panel) => join(panel));
  }
};
