import type { ISessionContext } from '@jupyterlab/apputils';

import { GONE } from '../comm/kernelComm';
import type { Execution } from '../render/host';

/** What a page knows about its cells, beside the kernel's status. */
export interface IExecutionFacts {
  readonly cells: {
    isRunning(cellId: string): boolean;
    isAnyRunning(): boolean;
  };
  /** Whether the comm to the kernel is being opened. */
  readonly isOpening: boolean;
  /** Return whether the kernel was asked for the turn of a cell and has not answered. */
  isAsked(cellId: string): boolean;
}

/**
 * Return whether a cell is running.
 *
 * The cell's own state decides before the kernel's status, which is `idle` within a turn, too,
 * after a subshell handled a comm message. A page that was loaded during a turn learns of it only
 * by the comm.
 *
 * @param cellId - Null for a cell that is not known.
 */
export function executionOf(
  { isReady, session }: Pick<ISessionContext, 'isReady' | 'session'>,
  cellId: string | null,
  { cells, isOpening, isAsked }: IExecutionFacts
): Execution {
  const status = session?.kernel?.status;
  if (status === undefined) {
    return isReady ? 'idle' : 'connecting';
  }
  if (GONE.has(status) || status === 'starting') {
    return 'idle';
  }
  if (cellId === null) {
    return 'unknown';
  }
  if (cells.isRunning(cellId)) {
    return 'running';
  }
  if (status === 'unknown' || isOpening || isAsked(cellId)) {
    return 'connecting';
  }
  return status === 'idle' || cells.isAnyRunning() ? 'idle' : 'unknown';
}
