import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { isChatNotebook } from '../live/chatNotebook';
import { forEachCodeCell } from '../live/codeCells';
import { listMessage } from '../live/messageHeadings';

/** Plugin that lists the messages of a chat in the table of contents. */
export const contentsPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:contents',
  description: 'Lists the messages of a chat in the table of contents.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, notebooks: INotebookTracker) => {
    const join = ({ content, sessionContext }: NotebookPanel) =>
      forEachCodeCell(content, cell =>
        listMessage(cell, () => isChatNotebook(sessionContext))
      );
    notebooks.forEach(join);
    notebooks.widgetAdded.connect((_, panel) => join(panel));
  }
};
