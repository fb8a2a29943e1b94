import type { TranslationBundle } from '@jupyterlab/translation';

import type { ISetupWords } from './setupKernel';

/** Return what a kernel of the set-up tells the reader when it cannot answer. */
export function setupWords(trans: TranslationBundle): ISetupWords {
  return {
    noKernel: trans.__('The kernel that tests the settings is not running.'),
    noAnswer: trans.__('The kernel does not answer. Try again.'),
    notInstalled: trans.__(
      'The kernel “Chat (msgbook)” is not installed on this server. Install msgbook with the Python that runs JupyterLab.'
    )
  };
}
