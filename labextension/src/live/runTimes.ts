import type { CodeCell } from '@jupyterlab/cells';
import type { Kernel } from '@jupyterlab/services';

import { TURN_MIME } from '../turn/model';

/** Key of a cell's metadata, and the keys in it, as JupyterLab and nbclient write them. */
const EXECUTION = 'execution';
const STARTED = 'iopub.execute_input';
const ENDED = 'shell.execute_reply';

/** A cell of this page that runs, or has run. */
export interface IRunCell {
  readonly model: Pick<
    CodeCell['model'],
    'isDisposed' | 'getMetadata' | 'setMetadata' | 'outputs'
  >;
  readonly outputArea: {
    readonly future?: Pick<Kernel.IShellFuture, 'msg' | 'done'>;
  };
}

/**
 * Write into a cell when its code has started and ended, once it has.
 *
 * JupyterLab does so itself with its setting `recordTiming`, which is off by default. A prompt has the
 * times in its turn.
 *
 * @param started - Time of the kernel's `execute_input`.
 * @param request - Id of the request that runs the cell.
 */
export async function keepTimes(
  cells: Iterable<IRunCell>,
  request: string,
  started: string
): Promise<void> {
  for (const { model, outputArea } of cells) {
    const { future } = outputArea;
    if (future?.msg.header.msg_id === request) {
      const reply = await future.done.catch(() => undefined);
      const ended = reply?.header.date;
      if (ended !== undefined && !model.isDisposed && isBare(model)) {
        model.setMetadata(EXECUTION, { [STARTED]: started, [ENDED]: ended });
      }
      return;
    }
  }
}

/** Return whether a cell has neither a turn nor times that JupyterLab wrote. */
function isBare(model: IRunCell['model']): boolean {
  for (let index = 0; index < model.outputs.length; index++) {
    if (TURN_MIME in model.outputs.get(index).data) {
      return false;
    }
  }
  return model.getMetadata(EXECUTION) === undefined;
}
