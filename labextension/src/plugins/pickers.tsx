import { plugin } from './plugin';
import { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import { kindItem } from '../cells/kindSwitcher';
import { NotebookChoice } from '../pickers/notebookChoice';
import { AgentPicker, ModelPicker } from '../pickers/toolbarPickers';
import { IPageConnections } from '../tokens';

/** Plugin that shows the agent, the model and the kind of a cell in the toolbar of a chat (schema/pickers.json). */
export const pickersPlugin = plugin({
  id: '@msgbook/labextension:pickers',
  description:
    "Chooses the agent, the model and the kind of a cell in a chat's toolbar.",
  // The tracker comes after the items of JupyterLab's own toolbar.
  requires: [IPageConnections, IToolbarWidgetRegistry, INotebookTracker],
  activate: (_, trans, connections, toolbars) => {
    const choices = new WeakMap<NotebookPanel, NotebookChoice>();
    const choiceOf = (panel: NotebookPanel) => {
      const choice =
        choices.get(panel) ?? new NotebookChoice(panel, connections);
      choices.set(panel, choice);
      return choice;
    };
    toolbars.addFactory<NotebookPanel>(
      'Notebook',
      'msgbook-agent',
      panel => new AgentPicker(choiceOf(panel), trans)
    );
    toolbars.addFactory<NotebookPanel>(
      'Notebook',
      'msgbook-model',
      panel => new ModelPicker(choiceOf(panel), trans)
    );
    const cellType: ((panel: NotebookPanel) => Widget) | undefined =
      toolbars.addFactory<NotebookPanel>('Notebook', 'cellType', panel =>
        kindItem(panel, cellType?.(panel), trans)
      );
  }
});
