import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISessionContextDialogs } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { CodeToolbar } from '../code/codeToolbar';
import { NotebookCode } from '../code/notebookCode';
import { isChatNotebook } from '../live/chatNotebook';
import type { PageConnection } from '../live/pageConnection';
import { IPageConnections } from '../tokens';

/** Plugin that lets a person use the code of an answer: copy, insert, run, save. */
export const codeInAnswersPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:code-in-answers',
  description: 'Adds buttons to the code in answers.',
  autoStart: true,
  requires: [IPageConnections],
  optional: [ITranslator, ISessionContextDialogs],
  activate: (
    app: JupyterFrontEnd,
    connections: IPageConnections,
    translator: ITranslator | null,
    dialogs: ISessionContextDialogs | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const join = ({ panel }: PageConnection) => {
      const actions = new NotebookCode(
        panel,
        app.serviceManager.contents,
        trans,
        dialogs ?? undefined,
        () => isChatNotebook(panel.sessionContext)
      );
      new CodeToolbar(panel.content.node, actions, trans);
    };
    connections.all.forEach(join);
    connections.added.connect((_, connection) => join(connection));
  }
};
