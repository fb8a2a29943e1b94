import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { ICodeCellModel } from '@jupyterlab/cells';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { TURN_RANK, turnRendererFactory } from '../render/factory';
import type { Execution } from '../render/turnRenderer';

/** Shows turns wherever outputs are shown: notebooks, consoles, viewers. */
export const turnsPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:turns',
  description: 'Shows the turns of a chat.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker, ITranslator],
  activate: (
    _: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    notebooks: INotebookTracker | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const probe = (node: Node): Execution => {
      const panel = notebooks?.find(panel => panel.node.contains(node));
      return panel ? execution(panel, node) : 'unknown';
    };
    rendermime.addFactory(turnRendererFactory(trans, probe), TURN_RANK);
  }
};

/**
 * Whether the cell that holds `node` is being executed.
 *
 * A cell's own state comes before the kernel's status: that one is `idle` in mid-turn too, when a
 * subshell has handled a comm message.
 */
function execution(panel: NotebookPanel, node: Node): Execution {
  const status = panel.sessionContext.session?.kernel?.status;
  switch (status) {
    case undefined:
    case 'dead':
    case 'terminating':
    case 'restarting':
    case 'autorestarting':
    case 'starting':
      return 'idle';
  }
  const executing = panel.content.widgets.filter(
    cell =>
      cell.model.type === 'code' &&
      (cell.model as ICodeCellModel).executionState === 'running'
  );
  if (executing.length > 0) {
    return executing.some(cell => cell.node.contains(node))
      ? 'running'
      : 'idle';
  }
  return status === 'idle' ? 'idle' : 'unknown';
}
