import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import { kindItem } from '../cells/kindSwitcher';
import { NotebookChoice } from '../pickers/notebookChoice';
import { AgentPicker, ModelPicker } from '../pickers/toolbarPickers';
import { IPageConnections } from '../tokens';

/** Plugin that shows the agent, the model and the kind of a cell in the toolbar of a chat (schema/pickers.json). */
export const pickersPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:pickers',
  description:
    "Chooses the agent, the model and the kind of a cell in a chat's toolbar.",
  autoStart: true,
  // The tracker comes after the items of JupyterLab's own toolbar.
  requires: [IPageConnections, IToolbarWidgetRegistry, INotebookTracker],
  optional: [ITranslator],
  activate: (
    _: JupyterFrontEnd,
    connections: IPageConnections,
    toolbars: IToolbarWidgetRegistry,
    _notebooks: INotebookTracker,
    translator: ITranslator | null
  ) => {
    const trans: TranslationBundle = (translator ?? nullTranslator).load(
      'msgbook'
    );
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
};
