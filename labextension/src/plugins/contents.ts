import { forEachNotebook, plugin } from './plugin';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { bareCellSoon } from '../live/chatNotebook';
import { forEachCodeCell } from '../live/codeCells';
import { listMessage } from '../live/messageHeadings';

/** Plugin that lists the messages of a chat in the table of contents. */
export const contentsPlugin = plugin({
  id: '@msgbook/labextension:contents',
  description: 'Lists the messages of a chat in the table of contents.',
  requires: [INotebookTracker],
  activate: (_, _trans, notebooks) => {
    // JupyterLab may ask for the headings before it has chosen the kernel, and does not ask again.
    const join = (panel: NotebookPanel) =>
      forEachCodeCell(panel.content, cell =>
        listMessage(cell, () => bareCellSoon(panel))
      );
    forEachNotebook(notebooks, join);
  }
});
