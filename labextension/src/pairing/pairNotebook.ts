import type { INotebookContent } from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type { JSONValue } from '@lumino/coreutils';

import { findFile } from '../live/beside';
import { formatsOf, otherPath, pair, unpair, withFormats } from './formats';

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

/** The files that the server holds. */
export type Files = Pick<Contents.IManager, 'get' | 'save'>;

/** Return whether there is a file at `path`. */
export async function exists(files: Files, path: string): Promise<boolean> {
  return (await findFile(files, path, { content: false })) !== null;
}

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
