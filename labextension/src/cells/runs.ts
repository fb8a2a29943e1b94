import type { JupyterFrontEnd } from '@jupyterlab/application';
import {
  showErrorMessage,
  type ISessionContextDialogs
} from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { NotebookActions } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import { pathBeside } from '../live/beside';
import { errorText } from '../live/errorText';
import { openNotebook } from '../live/openNotebook';
import { asText } from '../turn/model';
import type { IActiveCell } from './activePrompt';
import { insertRetry } from './changes';

/** Run a cell where it stands. */
export async function runCell(
  { notebook, connection }: IActiveCell,
  index: number,
  dialogs: ISessionContextDialogs | null
): Promise<void> {
  const { sessionContext } = connection.panel;
  await NotebookActions.runCells(
    notebook,
    [notebook.widgets[index]],
    sessionContext,
    dialogs ?? undefined
  );
}

/** Run a copy of the active prompt with another agent. */
export function retry(
  active: IActiveCell,
  agent: string | null,
  dialogs: ISessionContextDialogs | null
): void {
  const index = Array.from(active.model.cells).indexOf(active.cell);
  if (index === -1) {
    return;
  }
  const copy = insertRetry(active.model, index, agent);
  active.notebook.activeCellIndex = copy;
  void runCell(active, copy, dialogs);
}

/** Save the notebook, let the kernel fork the file, and open the new one. */
export async function fork(
  app: JupyterFrontEnd,
  { connection, cell }: IActiveCell,
  trans: TranslationBundle
): Promise<void> {
  const { context } = connection.panel;
  try {
    await context.save();
    const answer = await connection.queries.ask('conversation.fork', {
      name: PathExt.basename(context.path),
      cell_id: cell.id
    });
    const name = asText(answer.name) ?? '';
    const { contents } = app.serviceManager;
    await openNotebook(app, pathBeside(contents, context.path, name));
  } catch (reason) {
    await showErrorMessage(
      trans.__('The conversation was not forked'),
      errorText(reason)
    );
  }
}
