import type { JupyterFrontEnd } from '@jupyterlab/application';
import { plugin } from './plugin';
import { ICommandPalette } from '@jupyterlab/apputils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { KERNEL_NAME } from '../comm/ourKernels';
import {
  CommandIDs,
  describeArguments,
  type ICommandPlaces,
  offerCommand
} from '../commands';
import { chatIcon } from '../icons';
import { newChatFile, NOTEBOOK_FACTORY } from '../live/chatNotebook';
import { asText } from '../turn/reading';

/** Plugin that adds new chats to the launcher, the palette and File > New. */
export const newChatPlugin = plugin({
  id: '@msgbook/labextension:new-chat',
  description: 'Makes chats: notebooks and text files (.msg.md).',
  optional: [IDefaultFileBrowser, ILauncher, IMainMenu, ICommandPalette],
  activate: (app, trans, browser, launcher, mainMenu, palette) => {
    const places = { app, browser, launcher, mainMenu, palette, trans };
    addNewCommand(places, {
      command: CommandIDs.newChat,
      paletteLabel: trans.__('New Chat (notebook)'),
      label: trans.__('Chat (notebook)'),
      caption: trans.__('Create a chat in a notebook (.ipynb)'),
      rank: 2,
      create: cwd =>
        app.commands.execute('notebook:create-new', {
          cwd: cwd ?? '',
          kernelName: KERNEL_NAME
        })
    });
    addNewCommand(places, {
      command: CommandIDs.newChatFile,
      paletteLabel: trans.__('New Chat (text file)'),
      label: trans.__('Chat (text file)'),
      caption: trans.__(
        'Create a chat that is kept as a text file (.msg.md), which Git and people can read'
      ),
      rank: 1,
      create: cwd => newChatFile(app, cwd)
    });
  }
});

/** Where the commands can be found. */
interface IPlaces extends ICommandPlaces {
  readonly app: JupyterFrontEnd;
  /** Shows the folder of a new chat if its command names none. */
  readonly browser: IDefaultFileBrowser | null;
  readonly mainMenu: IMainMenu | null;
}

interface INewCommand {
  readonly command: string;
  readonly paletteLabel: string;
  readonly label: string;
  readonly caption: string;
  /** Its place among the commands for new chats, from 1. */
  readonly rank: number;
  readonly create: (cwd: string | undefined) => Promise<unknown>;
}

/** Add a command for a new chat, and offer it in the launcher, the palette and File > New. */
function addNewCommand(
  places: IPlaces,
  { command, paletteLabel, label, caption, rank, create }: INewCommand
): void {
  const { app, browser, mainMenu, trans } = places;
  app.commands.addCommand(command, {
    label: args => (args.isPalette ? paletteLabel : label),
    caption,
    icon: args => (args.isPalette ? undefined : chatIcon),
    describedBy: { args: describeArguments(trans, 'cwd', 'isPalette') },
    execute: args => create(asText(args.cwd) ?? browser?.model.path)
  });
  offerCommand(places, command, rank);
  mainMenu?.fileMenu.newMenu.addItem({ command, rank: 15 + rank / 10 });
}

const CHAT_FILE = 'msgbook';
const AGENT_FILE = 'msgbook-agent';
const CHAT_FILES: ReadonlySet<string | undefined> = new Set([
  CHAT_FILE,
  AGENT_FILE
]);

/** Plugin that opens conversations in other files than `.ipynb` as notebooks. */
export const fileTypePlugin = plugin({
  id: '@msgbook/labextension:file-type',
  description: 'Opens chat files (.msg.md, .mtm) as notebooks.',
  activate: (app, trans) => {
    const notebook = {
      contentType: 'notebook',
      fileFormat: 'json',
      icon: chatIcon
    } as const;
    app.docRegistry.addFileType(
      {
        ...notebook,
        name: CHAT_FILE,
        displayName: trans.__('Chat (text file)'),
        extensions: ['.msg.md'],
        // A pattern takes precedence over the extension `.md`, for the icon, too.
        pattern: '\\.msg\\.md$'
      },
      [NOTEBOOK_FACTORY]
    );
    app.docRegistry.addFileType(
      {
        ...notebook,
        name: AGENT_FILE,
        displayName: trans.__('Chat (agent file)'),
        extensions: ['.mtm', '.mutsumi-notebook'],
        pattern: '\\.(mtm|mutsumi-notebook)$'
      },
      [NOTEBOOK_FACTORY]
    );
    openLinksAsNotebooks(app.docRegistry);
  }
});

/**
 * Let a link to a chat file open what a double click opens.
 *
 * JupyterLab opens links with the viewer that renders a file. For `.msg.md` it finds that of Markdown.
 */
export function openLinksAsNotebooks(
  registry: Pick<
    DocumentRegistry,
    | 'getFileTypesForPath'
    | 'defaultWidgetFactory'
    | 'defaultRenderedWidgetFactory'
  >
): void {
  const rendered = registry.defaultRenderedWidgetFactory.bind(registry);
  registry.defaultRenderedWidgetFactory = path => {
    const [first] = registry.getFileTypesForPath(path);
    return CHAT_FILES.has(first?.name)
      ? registry.defaultWidgetFactory(path)
      : rendered(path);
  };
}
