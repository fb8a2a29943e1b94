import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { JSONObject, JSONValue } from '@lumino/coreutils';

import { answerCells, parseCellsQuestion } from '../comm/cells';
import { KernelLink } from '../comm/kernelLink';

/** Gives msgbook kernels the cells as they stand on the page. */
export const liveCellsPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:live-cells',
  description: 'Gives the msgbook kernel the live cells of its notebook.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, notebooks: INotebookTracker) => {
    const connect = (panel: NotebookPanel) =>
      new KernelLink(panel.sessionContext, data => answer(panel, data));
    notebooks.forEach(connect);
    notebooks.widgetAdded.connect((_, panel) => void connect(panel));
  }
};

function answer(panel: NotebookPanel, data: JSONValue): JSONObject | null {
  const question = parseCellsQuestion(data);
  const model = panel.content.model;
  if (question === null) {
    return null;
  }
  // Cells and metadata are JSON as nbformat defines it; its types allow `undefined`, JSON does not.
  return answerCells(question, model?.cells ?? [], () =>
    model!.sharedModel.getMetadata()
  ) as unknown as JSONObject;
}
