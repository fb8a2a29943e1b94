import type { JupyterFrontEnd } from '@jupyterlab/application';
import { forEachNotebook, plugin } from '../../plugins/plugin';
import {
  ICommandPalette,
  Dialog,
  Notification,
  showDialog
} from '@jupyterlab/apputils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import {
  INotebookTracker,
  type NotebookPanel,
  type INotebookModel
} from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { describeArguments } from '../../commands';
import {
  isMessageFile,
  exists,
  type Files,
  findFile,
  MESSAGES
} from '../../files/beside';
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { PathExt } from '@jupyterlab/coreutils';
import { isObject, textOrEmpty } from '../../turn/reading';
import { errorText } from '../../turn/text';

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

const KEY = 'jupytext';

/** An open notebook that can be half of a pair. */
export interface IOpenNotebook {
  /** Its path, as the contents manager takes it. */
  readonly path: string;
  readonly model: Pick<
    INotebookModel,
    'getMetadata' | 'setMetadata' | 'deleteMetadata'
  >;
  /** Save it; reject after a failure, which the person has been shown. */
  save(): Promise<void>;
}

/** Result of pairing; `missing` if the server did not write the other file. */
export type Outcome = 'paired' | 'unsaved' | 'missing';

/**
 * Pair a notebook with the file beside it, replacing that file, and save both.
 *
 * The notebook is unchanged unless the result is `paired`.
 */
export async function pairNotebook(
  notebook: IOpenNotebook,
  files: Files
): Promise<Outcome> {
  const { path } = notebook;
  const before = jupytextOf(notebook);
  const formats = pair(formatsOf(before), path);
  if (!(await saveWith(notebook, withFormats(before, formats)))) {
    return 'unsaved';
  }
  if (await exists(files, otherPath(path)!)) {
    return 'paired';
  }
  await saveWith(notebook, before);
  return 'missing';
}

/**
 * Take a pair apart in both files, since either would restore it. Both files stay.
 *
 * Returns false if saving failed; the notebook is unchanged then.
 */
export async function unpairNotebook(
  notebook: IOpenNotebook,
  files: Files
): Promise<boolean> {
  const { path } = notebook;
  const before = jupytextOf(notebook);
  const formats = unpair(formatsOf(before), path);
  if (!(await saveWith(notebook, withFormats(before, formats)))) {
    return false;
  }
  await forgetPair(files, otherPath(path)!);
  return true;
}

/**
 * Save a notebook with another `metadata.jupytext`; restore the old one and return false on
 * failure.
 */
async function saveWith(
  notebook: IOpenNotebook,
  jupytext: JSONValue | undefined
): Promise<boolean> {
  const before = jupytextOf(notebook);
  setJupytext(notebook.model, jupytext);
  try {
    await notebook.save();
    return true;
  } catch {
    setJupytext(notebook.model, before);
    return false;
  }
}

/** Take the pair out of a file that is not open. */
async function forgetPair(files: Files, path: string): Promise<void> {
  const file = await findFile(files, path, { type: 'notebook', content: true });
  if (file === null) {
    return;
  }
  const content = file.content as INotebookContent;
  const jupytext = content.metadata[KEY] as JSONValue | undefined;
  const left = withFormats(jupytext, unpair(formatsOf(jupytext), path));
  delete content.metadata[KEY];
  if (left !== undefined) {
    content.metadata[KEY] = left;
  }
  // Save even if nothing was removed: if the other file is newer, the server sent that file's
  // metadata, and this one still names the pair.
  await files.save(path, { type: 'notebook', format: 'json', content });
}

/** Return `metadata.jupytext` of an open notebook. */
export function jupytextOf(
  notebook: Pick<IOpenNotebook, 'model'>
): JSONValue | undefined {
  return notebook.model.getMetadata(KEY) as JSONValue | undefined;
}

function setJupytext(
  model: IOpenNotebook['model'],
  value: JSONValue | undefined
): void {
  if (value === undefined) {
    model.deleteMetadata(KEY);
  } else {
    model.setMetadata(KEY, value);
  }
}

/** Options of a notification that closes by itself; milliseconds. */
const BRIEF = { autoClose: 8000 };

/** Options of a notification that stays until it is closed. */
const STAYING = { autoClose: false } as const;

/** Return whether a notebook is half of a pair with a message file. */
export function hasPair(notebook: IOpenNotebook | null): boolean {
  return (
    notebook !== null &&
    isPaired(formatsOf(jupytextOf(notebook)), notebook.path)
  );
}

/** Pair the notebook or take its pair apart, and show a notification of the result. */
export async function togglePair(
  notebook: IOpenNotebook,
  files: Files,
  trans: TranslationBundle
): Promise<void> {
  const names = [notebook.path, otherPath(notebook.path)!].map(path =>
    PathExt.basename(path)
  );
  const act = hasPair(notebook) ? unpairAndTell : pairAndTell;
  try {
    await act(notebook, files, names, trans);
  } catch (error) {
    Notification.error(
      trans.__(
        'The server did not answer as expected. Check whether %1 and %2 are a pair. %3',
        ...names,
        errorText(error)
      ),
      STAYING
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
          '%1 is now paired with %2. Saving writes both, and opening reads the newer one.',
          own,
          other
        ),
        BRIEF
      );
      break;
    case 'unsaved':
      Notification.warning(
        trans.__('%1 was not saved and not paired with %2.', own, other),
        STAYING
      );
      break;
    case 'missing':
      Notification.error(
        trans.__(
          '%1 was not paired: the server saved it but did not write %2. Install msgbook and a supported version of Jupytext on the server.',
          own,
          other
        ),
        STAYING
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
      BRIEF
    );
  } else {
    Notification.warning(
      trans.__('%1 was not saved and is still paired with %2.', own, other),
      STAYING
    );
  }
}

/** Ask before an existing file is overwritten; return whether it may be. */
async function mayReplace(
  own: string,
  other: string,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Replace %1?', other),
    body: trans.__(
      '%2 already exists. If you replace it, both files will have the content of %1, and that of %2 is lost.',
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

const NOTEBOOK = '.ipynb';

/** An entry of Jupytext's formats that names the `.ipynb`, after its folder if it has one. */
const NOTEBOOK_ENTRY = /^(.*\/)?\.?ipynb$/;

/** An entry that names the message file, likewise. */
const MESSAGES_ENTRY = /^(.*\/)?\.msg\.md(:msg)?$/;

/** Names of an open message file in Jupytext's own menu; for an `.ipynb` they mean other files. */
const MENU_ENTRIES = new Set(['md', 'md:msg', 'auto:msg', '.msg.auto:msg']);

/** Return the other file of a pair with `path`; null if `path` cannot be half of one. */
export function otherPath(path: string): string | null {
  if (isMessageFile(path)) {
    return path.slice(0, -MESSAGES.length) + NOTEBOOK;
  }
  return path.endsWith(NOTEBOOK)
    ? path.slice(0, -NOTEBOOK.length) + MESSAGES
    : null;
}

/**
 * Return the formats that a notebook's `metadata.jupytext` names, as Jupytext writes them: `a,b`.
 */
export function formatsOf(jupytext: JSONValue | undefined): string {
  return isObject(jupytext) ? textOrEmpty(jupytext.formats) : '';
}

/**
 * Return `metadata.jupytext` with other formats, undefined if nothing is left in it; not in place.
 */
export function withFormats(
  jupytext: JSONValue | undefined,
  formats: string
): JSONObject | undefined {
  const options = isObject(jupytext) ? { ...jupytext } : {};
  delete options.formats;
  if (formats) {
    options.formats = formats;
  }
  return Object.keys(options).length > 0 ? options : undefined;
}

/** Return whether the formats of the notebook at `path` pair an `.ipynb` with a message file. */
export function isPaired(formats: string, path: string): boolean {
  const entries = split(formats);
  return (
    entries.some(entry => NOTEBOOK_ENTRY.test(entry)) &&
    entries.some(entry => isMessagesEntry(entry, path))
  );
}

/**
 * Return the formats with both halves of the pair, in the folder that they name, and all others.
 */
export function pair(formats: string, path: string): string {
  const entries = split(formats);
  const own = isMessageFile(path) ? MESSAGES_ENTRY : NOTEBOOK_ENTRY;
  const folder = entries.map(entry => own.exec(entry)?.[1]).find(Boolean) ?? '';
  const rest = entries.filter(
    entry => !NOTEBOOK_ENTRY.test(entry) && !isMessagesEntry(entry, path)
  );
  return [`${folder}ipynb`, `${folder}.msg.md:msg`, ...rest].join(',');
}

/**
 * Return the formats without the other half; empty if only the notebook at `path` would be left.
 */
export function unpair(formats: string, path: string): string {
  const left = split(formats).filter(entry =>
    isMessageFile(path)
      ? !NOTEBOOK_ENTRY.test(entry)
      : !MESSAGES_ENTRY.test(entry)
  );
  return left.length > 1 ? left.join(',') : '';
}

function isMessagesEntry(entry: string, path: string): boolean {
  return (
    MESSAGES_ENTRY.test(entry) ||
    (isMessageFile(path) && MENU_ENTRIES.has(entry))
  );
}

function split(formats: string): string[] {
  return formats
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean);
}
