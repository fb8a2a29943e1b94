import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { followEachOther, type ITextWidget } from '../files/follow';
import { isMessageFile } from '../pairing/formats';

const SHOW_TEXT = 'msgbook:show-text-beside';

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

/** Plugin that shows the text of a chat beside its notebook. */
export const filesPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:files',
  description: 'Shows the text of chats beside them.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    app.commands.addCommand(SHOW_TEXT, {
      label: trans.__('Show as Text Beside'),
      caption: trans.__('Open the text of this chat beside it'),
      describedBy: NO_ARGUMENTS,
      isEnabled: () =>
        isMessageFile(notebooks.currentWidget?.context.path ?? ''),
      execute: () => showText(app, notebooks)
    });
    palette?.addItem({ command: SHOW_TEXT, category: trans.__('Chat') });
  }
};

async function showText(
  app: JupyterFrontEnd,
  notebooks: INotebookTracker
): Promise<void> {
  const panel = notebooks.currentWidget;
  if (panel === null) {
    return;
  }
  if (panel.context.model.dirty) {
    // The editor shows the file, which for a new chat is empty.
    await panel.context.save();
  }
  const text = (await app.commands.execute('docmanager:open', {
    path: panel.context.path,
    factory: 'Editor',
    options: { mode: 'split-right', ref: panel.id }
  })) as ITextWidget | undefined;
  if (text) {
    await Promise.all([text.context.ready, panel.context.ready]);
    followEachOther(panel, text);
  }
}
