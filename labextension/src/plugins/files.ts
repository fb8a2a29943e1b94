import { ILabShell, type JupyterFrontEnd } from '@jupyterlab/application';
import { addCommand } from '../commands';
import { plugin } from './plugin';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { isMessageFile } from '../files/beside';
import { EXPORT, exportLabels, labelExports } from '../files/exportLabels';
import { followEachOther, type ITextWidget } from '../files/follow';
import { chatIcon } from '../icons';
import { openChat } from '../live/chatNotebook';
import { asText, isObject } from '../turn/reading';
import { errorText } from '../turn/text';

const SHOW_TEXT = 'msgbook:show-text-beside';
const OPEN_AS_CHAT = 'msgbook:open-as-chat';

/** Plugin that opens `.md` files as chats, and shows the text of a chat beside its notebook. */
export const filesPlugin = plugin({
  id: '@msgbook/labextension:files',
  description: 'Opens Markdown files as chats, and shows the text of chats.',
  requires: [INotebookTracker],
  optional: [IFileBrowserFactory, IMainMenu, ICommandPalette, ILabShell],
  activate: (app, trans, notebooks, browsers, mainMenu, palette, labShell) => {
    // Notebook 7 shows one document in a page: nothing stands beside it.
    if (labShell !== null) {
      addCommand(app, palette, trans, SHOW_TEXT, {
        label: trans.__('Show as Text Beside'),
        caption: trans.__('Open the text of this chat beside it'),
        isEnabled: () => isText(notebooks.currentWidget),
        execute: () => showText(app, notebooks)
      });
    }
    addOpenAsChat(app, browsers, trans);
    const labels = exportLabels(trans);
    const args = {
      format: 'msghtml',
      label: labels.get('msghtml') ?? '',
      isPalette: true
    };
    palette?.addItem({ command: EXPORT, category: trans.__('Chat'), args });
    if (mainMenu !== null) {
      void app.restored.then(() => labelExports(mainMenu, labels));
    }
  }
});

/** Return whether a notebook is kept as text alone. */
function isText(panel: NotebookPanel | null): boolean {
  const path = panel?.context.path ?? '';
  return (
    isMessageFile(path) ||
    (path.endsWith('.md') &&
      isReadFromMessages(panel?.model?.sharedModel.metadata))
  );
}

function addOpenAsChat(
  app: JupyterFrontEnd,
  browsers: IFileBrowserFactory | null,
  trans: TranslationBundle
): void {
  const selectedPath = () => {
    const items = [...(browsers?.tracker.currentWidget?.selectedItems() ?? [])];
    const { path } = items[0] ?? {};
    return items.length === 1 && path?.endsWith('.md') && !isMessageFile(path)
      ? path
      : undefined;
  };
  app.commands.addCommand(OPEN_AS_CHAT, {
    label: trans.__('Open as Chat'),
    caption: trans.__('Open the messages of this Markdown file as a notebook'),
    icon: chatIcon,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          path: {
            type: 'string',
            description: trans.__(
              'The file; by default the one that is selected in the file browser'
            )
          }
        }
      }
    },
    // The context menu leaves out what is not visible.
    isVisible: args => (asText(args.path) ?? selectedPath()) !== undefined,
    execute: args => {
      const path = asText(args.path) ?? selectedPath();
      return path === undefined ? undefined : openAsChat(app, path, trans);
    }
  });
}

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

/** Open an `.md` file as a notebook if the server finds a message section in it, else say why not. */
async function openAsChat(
  app: JupyterFrontEnd,
  path: string,
  trans: TranslationBundle
): Promise<IDocumentWidget | undefined> {
  const problem = await findProblem(app, path, trans);
  if (problem !== null) {
    await showErrorMessage(
      trans.__('This file cannot be opened as a chat'),
      problem
    );
    return undefined;
  }
  return openChat(app, path);
}

async function findProblem(
  { serviceManager }: JupyterFrontEnd,
  path: string,
  trans: TranslationBundle
): Promise<string | null> {
  try {
    const found = await serviceManager.contents.get(path, {
      type: 'notebook',
      content: true
    });
    const { metadata } = found.content as { metadata?: unknown };
    return isReadFromMessages(metadata)
      ? null
      : trans.__(
          '%1 has no message section. To keep a chat below its heading "Discussion", add the line message_section: true to its frontmatter, between two lines --- at the top of the file.',
          path
        );
  } catch (error) {
    return errorText(error);
  }
}

/** An entry of Jupytext's formats that names an `.md` file with a message section. */
const SECTION_ENTRY = /(?:^|,)\s*(?:[^,]*\/)?(?:md|auto):msg\s*(?:,|$)/;

/**
 * Return whether the server has read a notebook from a message file, by the notebook's metadata.
 *
 * Of an `.md` in a pair the formats say so: the server refuses them where there is no section.
 */
export function isReadFromMessages(metadata: unknown): boolean {
  const jupytext = isObject(metadata) ? metadata.jupytext : undefined;
  if (!isObject(jupytext)) {
    return false;
  }
  const { formats, text_representation: text } = jupytext;
  return (
    (isObject(text) && text.format_name === 'msg') ||
    (typeof formats === 'string' && SECTION_ENTRY.test(formats))
  );
}
