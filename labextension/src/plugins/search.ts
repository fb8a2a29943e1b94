import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISearchProviderRegistry } from '@jupyterlab/documentsearch';
import { NotebookPanel } from '@jupyterlab/notebook';

import { searchAnswers } from '../live/answerSearch';
import { isChatNotebook } from '../live/chatNotebook';
import { IChatSettings } from '../tokens';

/** Plugin that lets Ctrl+F find answers. */
export const searchPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:search',
  description: 'Searches the answers of chats, as the user’s settings say.',
  autoStart: true,
  requires: [IChatSettings],
  optional: [ISearchProviderRegistry],
  activate: (
    _: JupyterFrontEnd,
    settings: IChatSettings,
    registry: ISearchProviderRegistry | null
  ) => {
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
};
