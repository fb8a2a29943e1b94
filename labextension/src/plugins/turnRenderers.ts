import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { forEachNotebook, plugin } from './plugin';
import { IMermaidManager } from '@jupyterlab/mermaid';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import {
  markInterruptions,
  TURN_RANK,
  turnRendererFactory
} from '../render/factory';
import { NO_HOST } from '../render/host';
import { loadVega } from '../rich/vegaChart';
import { ISearchProviderRegistry } from '@jupyterlab/documentsearch';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { searchAnswers } from '../live/answerSearch';
import {
  ChatWindowing,
  isChatNotebook,
  proposeOtherKernel
} from '../live/chatNotebook';
import { IChatSettings } from '../tokens';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ScrollAnchor } from '../view/scrollAnchor';
import { SeenCells } from '../view/seenCells';
import { SessionContextDialogs } from '@jupyterlab/apputils';

/** Plugin that shows turns outside of notebooks, in consoles and viewers. */
export const turnRenderersPlugin = plugin({
  id: '@msgbook/labextension:turns',
  description: 'Shows the turns of a chat.',
  requires: [IRenderMimeRegistry],
  optional: [IMermaidManager],
  activate: (_, trans, rendermime, diagrams) => {
    rendermime.addFactory(
      turnRendererFactory(trans, NO_HOST, { charts: loadVega, diagrams }),
      TURN_RANK
    );
    markInterruptions(rendermime);
  }
});

/** Plugin that lets Ctrl+F find answers. */
export const searchPlugin = plugin({
  id: '@msgbook/labextension:search',
  description: 'Searches the answers of chats, as the user’s settings say.',
  requires: [IChatSettings],
  optional: [ISearchProviderRegistry],
  activate: (_, _trans, settings, registry) => {
    if (registry !== null) {
      searchAnswers(registry, document =>
        settings.get('searchAnswers') &&
        document instanceof NotebookPanel &&
        isChatNotebook(document.sessionContext)
          ? document
          : null
      );
    }
  }
});

/** JupyterLab's own settings of notebooks. */
const NOTEBOOKS = '@jupyterlab/notebook-extension:tracker';

/** Plugin that keeps long chats fast: the page lays out only their cells in view. */
export const windowingPlugin = plugin({
  id: '@msgbook/labextension:windowing',
  description: 'Lays out only the cells of a chat that are in view.',
  requires: [INotebookTracker, IChatSettings],
  optional: [ISettingRegistry],
  activate: (_, _trans, notebooks, settings, registry) => {
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
    forEachNotebook(notebooks, join);
    settings.changed.connect(() => all.forEach(one => one.update()));
    registry?.pluginChanged.connect((_, id) => {
      if (id === NOTEBOOKS) {
        // JupyterLab sets the mode of all notebooks in a slot of the same signal.
        queueMicrotask(() => all.forEach(one => one.takeTheirs()));
      }
    });
  }
});

/** Plugin that lets JupyterLab's dialogs propose the kernel that they would propose without msgbook. */
export const proposedKernelPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:proposed-kernel',
  description: 'Keeps chat kernels from being proposed for new notebooks.',
  autoStart: true,
  activate: () => {
    // All dialogs ask this function. Nothing else lets an extension into the choice of a kernel but a
    // replacement of all dialogs.
    const usual = SessionContextDialogs.kernelOptions;
    const kernelOptions: typeof usual = (context, translator) =>
      proposeOtherKernel(
        usual(context, translator),
        context.specsManager.specs?.default
      );
    Object.assign(SessionContextDialogs, { kernelOptions });
  }
};
