import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { infoIcon } from '@jupyterlab/ui-components';

import { CommandIDs, LAUNCHER_RANK, describeArguments } from '../commands';
import { errorText } from '../live/errorText';
import { openChat } from '../live/openNotebook';
import { exists } from '../pairing/pairNotebook';
import { SetupKernel } from '../setup/setupKernel';
import { setupWords } from '../setup/setupWords';
import { asText } from '../turn/model';

const NAME = 'tour.msg.md';

/** Plugin that opens the tour: a chat whose cells explain themselves. */
export const tourPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:tour',
  description: 'Opens a tour in five steps.',
  autoStart: true,
  optional: [IDefaultFileBrowser, ILauncher, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    browser: IDefaultFileBrowser | null,
    launcher: ILauncher | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const command = CommandIDs.openTour;
    app.commands.addCommand(command, {
      label: args =>
        args.isPalette ? trans.__('Open the Tour') : trans.__('Tour'),
      caption: trans.__('Get to know chats in five steps, without an account'),
      icon: args => (args.isPalette ? undefined : infoIcon),
      describedBy: { args: describeArguments(trans, 'cwd', 'isPalette') },
      execute: async args => {
        const folder = asText(args.cwd) ?? browser?.model.path ?? '';
        const path = PathExt.join(folder, NAME);
        try {
          await ensureTour(app, path, trans);
        } catch (error) {
          await showErrorMessage(
            trans.__('The tour cannot be opened'),
            errorText(error)
          );
          return undefined;
        }
        return openChat(app, path);
      }
    });
    launcher?.add({
      command,
      category: trans.__('Chat'),
      categoryRank: LAUNCHER_RANK,
      rank: 3
    });
    palette?.addItem({
      command,
      category: trans.__('Chat'),
      args: { isPalette: true }
    });
  }
};

/** Write the tour unless there is a file of its name, which may be a tour with answers. */
async function ensureTour(
  { serviceManager }: JupyterFrontEnd,
  path: string,
  trans: TranslationBundle
): Promise<void> {
  const { contents } = serviceManager;
  if (await exists(contents, path)) {
    return;
  }
  const kernel = new SetupKernel(
    serviceManager,
    trans.__('Tour'),
    setupWords(trans)
  );
  const asked = kernel.ask('setup.tour');
  await Promise.allSettled([asked]);
  kernel.dispose();
  const content = asText((await asked).text) ?? '';
  await contents.save(path, { type: 'file', format: 'text', content });
}
