import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  Dialog,
  ICommandPalette,
  Notification,
  showDialog
} from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import {
  formatsOf,
  isMessageFile,
  isPaired,
  otherPath
} from '../pairing/formats';
import {
  exists,
  type Files,
  type IOpenNotebook,
  jupytextOf,
  pairNotebook,
  unpairNotebook
} from '../pairing/pairNotebook';

const COMMAND = 'msgbook:pair-with-message-file';

/** Below Rename and Duplicate, in the File menu. */
const MENU_RANK = 5.5;

/** How long a notification stays, in milliseconds. */
const TOLD = { autoClose: 8000 };

/** Stays until it is closed; without an option it would only count up the bell's number. */
const WARNED = { autoClose: false } as const;

/** Lets a notebook and a message file stand side by side, as a pair of Jupytext's. */
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
        'Keep this conversation in an .ipynb and in a text file (.msg.md), side by side'
      ),
      isEnabled: () => current() !== null,
      isToggleable: true,
      // In the palette the words tell, so that "unpair" finds them.
      isToggled: args => args.isPalette !== true && paired(current()),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            isPalette: {
              type: 'boolean',
              description: trans.__('Whether the label is for the palette')
            }
          }
        }
      },
      execute: async () => {
        const notebook = current();
        if (notebook !== null) {
          await toggle(notebook, app.serviceManager.contents, trans);
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

/** The notebook in front, if it is or can be half of a pair. */
function currentNotebook(
  app: JupyterFrontEnd,
  notebooks: INotebookTracker
): IOpenNotebook | null {
  const panel = notebooks.currentWidget;
  if (panel === null || panel !== app.shell.currentWidget) {
    return null;
  }
  const { context } = panel;
  // Without `contentsModel` it is still being loaded.
  return otherPath(context.path) !== null && context.contentsModel?.writable
    ? context
    : null;
}

function paired(notebook: IOpenNotebook | null): boolean {
  return (
    notebook !== null &&
    isPaired(formatsOf(jupytextOf(notebook)), notebook.path)
  );
}

function label(
  notebook: IOpenNotebook | null,
  saysUnpair: boolean,
  trans: TranslationBundle
): string {
  const fromText = notebook !== null && isMessageFile(notebook.path);
  if (saysUnpair && paired(notebook)) {
    return fromText
      ? trans.__('Unpair Message File from Notebook')
      : trans.__('Unpair Notebook from Message File');
  }
  return fromText
    ? trans.__('Pair Message File with Notebook')
    : trans.__('Pair Notebook with Message File');
}

/** Pair the notebook or take its pair apart, and say what came of it. */
async function toggle(
  notebook: IOpenNotebook,
  files: Files,
  trans: TranslationBundle
): Promise<void> {
  const names = [notebook.path, otherPath(notebook.path)!].map(path =>
    PathExt.basename(path)
  );
  const act = paired(notebook) ? unpairAndTell : pairAndTell;
  try {
    await act(notebook, files, names, trans);
  } catch (error) {
    Notification.error(
      trans.__(
        'The server did not answer as expected; look whether %1 and %2 are a pair. %3',
        ...names,
        error instanceof Error ? error.message : String(error)
      ),
      WARNED
    );
  }
}

async function pairAndTell(
  notebook: IOpenNotebook,
  files: Files,
  [own, other]: string[],
  trans: TranslationBundle
): Promise<void> {
  if (
    (await exists(files, otherPath(notebook.path)!)) &&
    !(await mayReplace(own, other, trans))
  ) {
    return;
  }
  const outcome = await pairNotebook(notebook, files);
  switch (outcome) {
    case 'paired':
      Notification.success(
        trans.__(
          '%2 now stands beside %1. Saving writes both; opening takes the newer one.',
          own,
          other
        ),
        TOLD
      );
      break;
    case 'unsaved':
      Notification.warning(
        trans.__('%1 was not saved, and not paired with %2.', own, other),
        WARNED
      );
      break;
    case 'missing':
      Notification.error(
        trans.__(
          '%1 is not paired: the server saved it without writing %2. Does it run msgbook with a Jupytext that msgbook knows?',
          own,
          other
        ),
        WARNED
      );
  }
}

async function unpairAndTell(
  notebook: IOpenNotebook,
  files: Files,
  [own, other]: string[],
  trans: TranslationBundle
): Promise<void> {
  if (await unpairNotebook(notebook, files)) {
    Notification.info(
      trans.__('%1 and %2 are no longer a pair. Both files stay.', own, other),
      TOLD
    );
  } else {
    Notification.warning(
      trans.__('%1 was not saved, and is still paired with %2.', own, other),
      WARNED
    );
  }
}

/** Ask before a file that is there already is overwritten. */
async function mayReplace(
  own: string,
  other: string,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Replace %1?', other),
    body: trans.__(
      '%2 exists already. As a pair, both files hold what %1 holds now; what %2 says is overwritten.',
      own,
      other
    ),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({ label: trans.__('Replace') })
    ],
    defaultButton: 0
  });
  return button.accept;
}
