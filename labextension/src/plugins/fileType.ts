import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { chatIcon } from '../icons';
import { NOTEBOOK_FACTORY } from '../live/openNotebook';

/** Plugin that opens conversations in other files than `.ipynb` as notebooks. */
export const fileTypePlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:file-type',
  description: 'Opens chat files (.msg.md, .mtm) as notebooks.',
  autoStart: true,
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const notebook = {
      contentType: 'notebook',
      fileFormat: 'json',
      icon: chatIcon
    } as const;
    app.docRegistry.addFileType(
      {
        ...notebook,
        name: 'msgbook',
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
        name: 'msgbook-agent',
        displayName: trans.__('Chat (agent file)'),
        extensions: ['.mtm', '.mutsumi-notebook'],
        pattern: '\\.(mtm|mutsumi-notebook)$'
      },
      [NOTEBOOK_FACTORY]
    );
  }
};
