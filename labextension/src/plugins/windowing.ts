import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { ScrollAnchor } from '../live/scrollAnchor';
import { SeenCells } from '../live/seenCells';
import { ChatWindowing } from '../live/windowing';
import { IChatSettings } from '../tokens';

/** JupyterLab's own settings of notebooks. */
const NOTEBOOKS = '@jupyterlab/notebook-extension:tracker';

/** Plugin that keeps long chats fast: the page lays out only their cells in view. */
export const windowingPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:windowing',
  description: 'Lays out only the cells of a chat that are in view.',
  autoStart: true,
  requires: [INotebookTracker, IChatSettings],
  optional: [ISettingRegistry],
  activate: (
    _: JupyterFrontEnd,
    notebooks: INotebookTracker,
    settings: IChatSettings,
    registry: ISettingRegistry | null
  ) => {
    const all = new Set<ChatWindowing>();
    const join = (panel: NotebookPanel) => {
      const one = new ChatWindowing(panel, () => settings.get('windowing'));
      const isOurs = () => one.isOurs;
      const seen = new SeenCells(panel.content, isOurs);
      one.changed.connect(() => seen.update());
      const anchor = new ScrollAnchor(panel.content, isOurs);
      all.add(one);
      panel.disposed.connect(() => {
        all.delete(one);
        anchor.dispose();
      });
    };
    notebooks.forEach(join);
    notebooks.widgetAdded.connect((_, panel) => join(panel));
    settings.changed.connect(() => all.forEach(one => one.update()));
    registry?.pluginChanged.connect((_, id) => {
      if (id === NOTEBOOKS) {
        // JupyterLab sets the mode of all notebooks in a slot of the same signal.
        queueMicrotask(() => all.forEach(one => one.takeTheirs()));
      }
    });
  }
};
