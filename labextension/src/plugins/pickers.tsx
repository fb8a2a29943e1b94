import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import { NotebookChoice } from '../pickers/notebookChoice';
import { AgentPicker, ModelPicker } from '../pickers/toolbarPickers';
import { IPageConnections } from '../tokens';

/** Plugin that shows the agent and the model of a chat in its toolbar (schema/pickers.json). */
export const pickersPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:pickers',
  description:
    "Chooses the agent and the model of a chat in the notebook's toolbar.",
  autoStart: true,
  requires: [IPageConnections, IToolbarWidgetRegistry],
  optional: [ITranslator],
  activate: (
    _: JupyterFrontEnd,
    connections: IPageConnections,
    toolbars: IToolbarWidgetRegistry,
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
  }
};
