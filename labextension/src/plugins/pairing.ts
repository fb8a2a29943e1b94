import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { describeArguments } from '../commands';
import {
  hasPair,
  type IOpenNotebook,
  isMessageFile,
  otherPath,
  togglePair
} from '../pairing/pairNotebook';
import { URLExt } from '@jupyterlab/coreutils';
import type { DiffFactory, IGitExtension } from '@jupyterlab/git';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ServerConnection } from '@jupyterlab/services';
import { type IChatCell, parseCells, readVersions } from '../diff/chatCell';
import { ChatDiff } from '../diff/chatDiff';
import type { IDiffTools } from '../diff/rowView';

const COMMAND = 'msgbook:pair-with-message-file';

/** Rank in the File menu, below Rename and Duplicate. */
const MENU_RANK = 5.5;

/** Plugin that pairs a notebook with a message file by means of Jupytext. */
export const pairingPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:pairing',
  description: 'Pairs notebooks with chat text files (.msg.md).',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [IMainMenu, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    mainMenu: IMainMenu | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const current = () => currentNotebook(app, notebooks);
    app.commands.addCommand(COMMAND, {
      label: args => label(current(), args.isPalette === true, trans),
      caption: trans.__(
        'Keep this chat as a notebook (.ipynb) and as a text file (.msg.md), side by side'
      ),
      isEnabled: () => current() !== null,
      isToggleable: true,
      // In the palette the label shows the state, so that a search for "unpair" finds it.
      isToggled: args => args.isPalette !== true && hasPair(current()),
      describedBy: { args: describeArguments(trans, 'isPalette') },
      execute: async () => {
        const notebook = current();
        if (notebook !== null) {
          await togglePair(notebook, app.serviceManager.contents, trans);
        }
      }
    });
    mainMenu?.fileMenu.addItem({ command: COMMAND, rank: MENU_RANK });
    palette?.addItem({
      command: COMMAND,
      category: trans.__('Notebook Operations'),
      args: { isPalette: true }
    });
    const refresh = () => app.commands.notifyCommandChanged(COMMAND);
    const watch = (panel: NotebookPanel) => {
      panel.context.pathChanged.connect(refresh);
      panel.context.fileChanged.connect(refresh);
      panel.context.model.metadataChanged.connect(refresh);
    };
    notebooks.forEach(watch);
    notebooks.widgetAdded.connect((_, panel) => watch(panel));
    app.shell.currentChanged?.connect(refresh);
  }
};

/** Return the notebook in front if it is, or can become, half of a pair. */
function currentNotebook(
  app: JupyterFrontEnd,
  notebooks: INotebookTracker
): IOpenNotebook | null {
  const panel = notebooks.currentWidget;
  if (panel === null || panel !== app.shell.currentWidget) {
    return null;
  }
  const { context } = panel;
  // A notebook without `contentsModel` is still loading.
  return otherPath(context.path) !== null && context.contentsModel?.writable
    ? context
    : null;
}

function label(
  notebook: IOpenNotebook | null,
  saysUnpair: boolean,
  trans: TranslationBundle
): string {
  const fromText = notebook !== null && isMessageFile(notebook.path);
  if (saysUnpair && hasPair(notebook)) {
    return fromText
      ? trans.__('Unpair Message File from Notebook')
      : trans.__('Unpair Notebook from Message File');
  }
  return fromText
    ? trans.__('Pair Message File with Notebook')
    : trans.__('Pair Notebook with Message File');
}

/** Ends of names, as jupyterlab-git knows them: what follows the last dot. */
const EXTENSIONS = ['.md', '.mtm', '.mutsumi-notebook'];

/** Its plugin for all files for which there is no other diff. */
const PLAIN_TEXT = '@jupyterlab/git:plain-text-diff';

/** Plugin that shows the changes of a chat where jupyterlab-git shows changes. */
export const gitDiffPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:git-diff',
  description: 'Shows two versions of a chat cell by cell in jupyterlab-git.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const { sanitizer, latexTypesetter, markdownParser } = rendermime;
    const renderers = {
      mimeType: 'text/markdown',
      resolver: null,
      linkHandler: null,
      sanitizer,
      latexTypesetter,
      markdownParser
    };
    // Not awaited: JupyterLab does not wait for another extension.
    void join(app, { renderers, trans });
  }
};

/** Register with jupyterlab-git, if it is installed and hands out its plain text diff. */
async function join(app: JupyterFrontEnd, tools: IDiffTools): Promise<void> {
  // It has no copy of its own here: without jupyterlab-git the import fails.
  const module = await import('@jupyterlab/git').catch(() => null);
  const plugin = module?.default.find(({ id }) => id === PLAIN_TEXT);
  if (!module || !plugin) {
    return;
  }
  const git = await app.resolveOptionalService(module.IGitExtension);
  if (git === null) {
    return;
  }
  let plain: DiffFactory | undefined;
  const catcher: Partial<IGitExtension> = {
    registerFallbackDiffProvider: factory => {
      plain = factory;
    }
  };
  const services = await Promise.all(
    (plugin.requires ?? []).map(async (token): Promise<unknown> =>
      token === module.IGitExtension
        ? catcher
        : app.resolveRequiredService(token)
    )
  );
  await plugin.activate(app, ...services);
  if (plain !== undefined) {
    const read = (path: string, text: string) =>
      readCells(path, text, app.serviceManager.serverSettings);
    git.registerDiffProvider(
      'Chat',
      EXTENSIONS,
      chatDiffFactory(plain, read, tools)
    );
  }
}

function chatDiffFactory(
  plain: DiffFactory,
  read: (path: string, text: string) => Promise<IChatCell[] | null>,
  tools: IDiffTools
): DiffFactory {
  return async options => {
    const { model } = options;
    const versions = model.hasConflict ? null : await readVersions(model, read);
    if (versions === null) {
      return plain(options);
    }
    const diff = new ChatDiff({
      model,
      read,
      tools,
      plain: () => plain(options)
    });
    await diff.showVersions(versions);
    return diff;
  };
}

/** Ask the server for the cells of a text; reject with its reason if it cannot tell. */
async function readCells(
  path: string,
  text: string,
  settings: ServerConnection.ISettings
): Promise<IChatCell[] | null> {
  const url = URLExt.join(settings.baseUrl, 'msgbook/cells');
  const body = JSON.stringify({ path, text });
  const response = await ServerConnection.makeRequest(
    url,
    { method: 'POST', body },
    settings
  );
  if (!response.ok) {
    throw await ServerConnection.ResponseError.create(response);
  }
  return parseCells(await response.json());
}
