import type { JupyterFrontEnd } from '@jupyterlab/application';
import { forEachNotebook, plugin } from '../../plugins/plugin';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { describeArguments } from '../../commands';
import { isMessageFile } from '../../files/beside';
import {
  hasPair,
  type IOpenNotebook,
  otherPath,
  togglePair
} from './pairNotebook';

const COMMAND = 'msgbook:pair-with-message-file';

/** Rank in the File menu, below Rename and Duplicate. */
const MENU_RANK = 5.5;

/** Plugin that pairs a notebook with a message file by means of Jupytext. */
export const pairingPlugin = plugin({
  id: '@msgbook/labextension:pairing',
  description: 'Pairs notebooks with chat text files (.msg.md).',
  requires: [INotebookTracker],
  optional: [IMainMenu, ICommandPalette],
  activate: (app, trans, notebooks, mainMenu, palette) => {
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
    forEachNotebook(notebooks, watch);
    app.shell.currentChanged?.connect(refresh);
  }
});

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
