import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorText } from '../live/errorText';
import { formatsOf, isPaired, otherPath } from './formats';
import {
  exists,
  jupytextOf,
  pairNotebook,
  unpairNotebook,
  type Files,
  type IOpenNotebook
} from './pairNotebook';

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
