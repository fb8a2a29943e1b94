import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { IMainMenu } from '@jupyterlab/mainmenu';
import type { Contents } from '@jupyterlab/services';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { KERNEL_NAME } from '../comm/kernelLink';
import { chatIcon } from '../icons';
import { asText } from '../turn/model';
import { NOTEBOOK_FACTORY } from './fileType';

/** Ids of this extension's commands. */
export const CommandIDs = {
  newChatFile: 'msgbook:new-chat-file'
} as const;

/** Plugin that adds "Chat (text file)" to the launcher, the palette and File > New. */
export const newChatFilePlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:new-chat-file',
  description: 'Makes chat text files (.msg.md).',
  autoStart: true,
  optional: [
    IDefaultFileBrowser,
    ILauncher,
    IMainMenu,
    ICommandPalette,
    ITranslator
  ],
  activate: (
    app: JupyterFrontEnd,
    browser: IDefaultFileBrowser | null,
    launcher: ILauncher | null,
    mainMenu: IMainMenu | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const command = CommandIDs.newChatFile;
    app.commands.addCommand(command, {
      label: args =>
        args.isPalette
          ? trans.__('New Chat (text file)')
          : trans.__('Chat (text file)'),
      caption: trans.__('Create a chat that is kept as a text file (.msg.md)'),
      icon: args => (args.isPalette ? undefined : chatIcon),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            cwd: {
              type: 'string',
              description: trans.__(
                'Folder of the new file; by default the one of the file browser'
              )
            },
            isPalette: {
              type: 'boolean',
              description: trans.__('Whether the label is for the palette')
            }
          }
        }
      },
      execute: args => newChatFile(app, asText(args.cwd) ?? browser?.model.path)
    });
    launcher?.add({ command, category: trans.__('Other'), rank: 0.5 });
    mainMenu?.fileMenu.newMenu.addItem({ command, rank: 15 });
    palette?.addItem({
      command,
      category: trans.__('Notebook Operations'),
      args: { isPalette: true }
    });
  }
};

/** Create an untitled `.msg.md` in a folder and open it as a notebook. */
async function newChatFile(
  app: JupyterFrontEnd,
  path: string | undefined
): Promise<IDocumentWidget | undefined> {
  const file = (await app.commands.execute('docmanager:new-untitled', {
    path: path ?? '',
    type: 'file',
    ext: '.msg.md'
  })) as Contents.IModel | undefined;
  if (file === undefined) {
    return undefined;
  }
  // Not marked as untitled: at the first save JupyterLab would ask for a name with all of
  // `untitled.msg` selected, and a file without `.msg` in its name is not a chat.
  return (await app.commands.execute('docmanager:open', {
    path: file.path,
    factory: NOTEBOOK_FACTORY,
    kernel: { name: KERNEL_NAME }
  })) as IDocumentWidget | undefined;
}
