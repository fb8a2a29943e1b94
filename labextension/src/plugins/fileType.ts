import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { chatIcon } from '../icons';

/** The widget factory of notebooks. */
export const NOTEBOOK_FACTORY = 'Notebook';

/** Plugin that opens `.msg.md` files as notebooks; other Markdown files stay in the editor. */
export const fileTypePlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:file-type',
  description: 'Opens chat text files (.msg.md) as notebooks.',
  autoStart: true,
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    app.docRegistry.addFileType(
      {
        name: 'msgbook',
        displayName: trans.__('Chat (text file)'),
        contentType: 'notebook',
        fileFormat: 'json',
        extensions: ['.msg.md'],
        // A pattern takes precedence over the extension `.md`, for the icon, too.
        pattern: '\\.msg\\.md$',
        icon: chatIcon
      },
      [NOTEBOOK_FACTORY]
    );
  }
};
