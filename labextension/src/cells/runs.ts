import type { JupyterFrontEnd } from '@jupyterlab/application';
import {
  showErrorMessage,
  type ISessionContextDialogs
} from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { pathBeside } from '../live/beside';
import { errorText } from '../live/errorText';
import { runCell } from '../live/newCell';
import { openNotebook } from '../live/openNotebook';
import { idInFile } from '../live/waitingMessage';
import { asText } from '../turn/model';
import type { IActiveCell } from './activePrompt';
import { insertRetry, type Other } from './changes';

/** Run a copy of the active prompt with another agent or model. */
export function retry(
  active: IActiveCell,
  other: Other,
  dialogs: ISessionContextDialogs | undefined
): void {
  const index = Array.from(active.model.cells).indexOf(active.cell);
  if (index === -1) {
    return;
  }
  const copy = insertRetry(active.model, index, other);
  active.notebook.activeCellIndex = copy;
  void runCell(active.connection.panel, active.notebook.widgets[copy], dialogs);
}

/** Save the notebook, let the kernel fork the file, and open the new one. */
export async function fork(
  app: JupyterFrontEnd,
  { connection, model, cell }: IActiveCell,
  trans: TranslationBundle
): Promise<void> {
  const { context } = connection.panel;
  try {
    await context.save();
    const answer = await connection.queries.ask('conversation.fork', {
      name: PathExt.basename(context.path),
      cell_id: idInFile(model, cell.id)
    });
    const name = asText(answer.name) ?? '';
    const { contents } = app.serviceManager;
    await openNotebook(app, pathBeside(contents, context.path, name));
  } catch (reason) {
    await showErrorMessage(
      trans.__('The chat was not forked'),
      errorText(reason)
    );
  }
}
