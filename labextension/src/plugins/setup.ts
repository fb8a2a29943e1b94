import type { JupyterFrontEnd } from '@jupyterlab/application';
import { plugin } from './plugin';
import {
  ICommandPalette,
  MainAreaWidget,
  showErrorMessage
} from '@jupyterlab/apputils';
import { PathExt, URLExt } from '@jupyterlab/coreutils';
import { ILauncher } from '@jupyterlab/launcher';
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { infoIcon, linkIcon, ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';
import { chatIcon } from '../icons';
import { CommandIDs, describeArguments, offerCommand } from '../commands';
import { type ISetupFormProps, SetupForm } from '../setup/setupForm';
import { SetupKernel, setupWords } from '../setup/setupKernel';
import { SetupSteps } from '../setup/useSetup';
import { IPageConnections } from '../tokens';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { errorText } from '../turn/text';
import { openChat } from '../live/chatNotebook';
import { exists } from '../files/beside';
import { asText } from '../turn/reading';

/** Plugin with the form that connects a model. */
export const setupPlugin = plugin({
  id: '@msgbook/labextension:setup',
  description: 'Connects a model: a form that tests and saves the settings.',
  requires: [IPageConnections],
  optional: [ILauncher, ICommandPalette],
  activate: (app, trans, connections, launcher, palette) => {
    const command = CommandIDs.connectModel;
    let open: MainAreaWidget<SetupPanel> | null = null;
    app.commands.addCommand(command, {
      label: trans.__('Connect a Model…'),
      caption: trans.__('Choose the server and the model that answer'),
      icon: args => (args.isPalette ? undefined : linkIcon),
      describedBy: { args: describeArguments(trans, 'isPalette') },
      execute: () => {
        if (open === null || open.isDisposed) {
          open = newTab(app, connections, trans);
          app.shell.add(open, 'main');
          // Notebook 7 has one document in its main area, and takes no other.
          if (!open.isAttached) {
            app.shell.add(open, 'right', { rank: 530 });
          }
        }
        app.shell.activateById(open.id);
      }
    });
    offerCommand({ launcher, palette, trans }, command, 4);
  }
});

type Trans = ISetupFormProps['trans'];

/** The form, with the kernel that answers it; the kernel ends with it. */
class SetupPanel extends ReactWidget {
  constructor(
    private readonly _props: ISetupFormProps,
    private readonly _kernel: SetupKernel
  ) {
    super();
    this.addClass('msgbook-SetupPanel');
  }

  override dispose(): void {
    this._kernel.dispose();
    super.dispose();
  }

  protected override render(): JSX.Element {
    return React.createElement(SetupForm, this._props);
  }
}

/** Let the server keep a key in its memory; reject with its reason if it does not. */
async function keepKey(
  server: string,
  key: string,
  settings: ServerConnection.ISettings
): Promise<void> {
  const url = URLExt.join(settings.baseUrl, 'msgbook/keys');
  const body = JSON.stringify({ server, key });
  const init = { method: 'PUT', body };
  const response = await ServerConnection.makeRequest(url, init, settings);
  if (!response.ok) {
    throw await ServerConnection.ResponseError.create(response);
  }
}

function newTab(
  app: JupyterFrontEnd,
  connections: IPageConnections,
  trans: Trans
): MainAreaWidget<SetupPanel> {
  const title = trans.__('Connect a Model');
  const kernel = new SetupKernel(app.serviceManager, title, setupWords(trans));
  // A Python notebook would lose its variables.
  const chats = () =>
    connections.all.filter(({ bareCell }) => bareCell === 'message');
  const props: ISetupFormProps = {
    steps: new SetupSteps(kernel.ask.bind(kernel), (server, key) =>
      keepKey(server, key, app.serviceManager.serverSettings)
    ),
    trans,
    saved: () => undefined,
    openChats: () => chats().length,
    restartChats: async () => {
      await Promise.all(
        chats().map(({ panel }) => panel.sessionContext.restartKernel())
      );
    },
    newChat: () => void app.commands.execute(CommandIDs.newChatFile)
  };
  const tab = new MainAreaWidget({ content: new SetupPanel(props, kernel) });
  tab.id = 'msgbook-setup';
  tab.title.label = title;
  tab.title.caption = title;
  tab.title.icon = chatIcon;
  tab.title.closable = true;
  return tab;
}

const NAME = 'tour.msg.md';

/** Plugin that opens the tour: a chat whose cells explain themselves. */
export const tourPlugin = plugin({
  id: '@msgbook/labextension:tour',
  description: 'Opens a tour in five steps.',
  optional: [IDefaultFileBrowser, ILauncher, ICommandPalette],
  activate: (app, trans, browser, launcher, palette) => {
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
    offerCommand({ launcher, palette, trans }, command, 3);
  }
});

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
