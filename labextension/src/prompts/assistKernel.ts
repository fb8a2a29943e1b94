import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';

import type { PageConnection } from '../live/pageConnection';

/** What answers about a prompt while it is written. */
export type IAssistKernel = Pick<
  Kernel.IKernelConnection,
  'requestComplete' | 'requestInspect'
>;

/** Milliseconds to wait for an answer about a prompt; later nobody needs it. */
const PATIENCE = 5_000;

/**
 * Return what answers about the prompts of a notebook; null without a kernel.
 *
 * While a turn runs, ordinary requests wait for its end. Then the comm is asked.
 */
export function assistKernel({
  cells,
  panel,
  queries
}: PageConnection): IAssistKernel | null {
  const kernel = panel.sessionContext.session?.kernel ?? null;
  if (kernel === null || (kernel.status === 'idle' && !cells.isAnyRunning())) {
    return kernel;
  }
  const ask = async (
    name: string,
    { code, cursor_pos }: { code: string; cursor_pos: number }
  ): Promise<JSONObject> => ({
    content: await queries.ask(name, { code, cursor_pos }, PATIENCE)
  });
  // The content of an answer is that of the ordinary reply. A kernel that does not know the query,
  // or a cell of Python, gets the ordinary request, which waits.
  return {
    requestComplete: content =>
      ask('assist.complete', content).catch(() =>
        kernel.requestComplete(content)
      ) as Promise<KernelMessage.ICompleteReplyMsg>,
    requestInspect: content =>
      ask('assist.inspect', content).catch(() =>
        kernel.requestInspect(content)
      ) as Promise<KernelMessage.IInspectReplyMsg>
  };
}
