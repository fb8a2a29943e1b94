import { CodeCell } from '@jupyterlab/cells';
import type { ISessionContext } from '@jupyterlab/apputils';

type Execute = typeof CodeCell.execute;

/** Asks a person about a cell, and returns whether it runs. */
export type Question = () => Promise<boolean>;

/**
 * Ask before a cell runs. Cells that are run after it wait, and do not run if it does not.
 *
 * JupyterLab has one function that all its commands run a cell by, and no place before it.
 *
 * @param questionOf - Returns what is to be asked before a cell runs; null if it runs at once.
 * @param execute - Runs a cell: its request is sent before it returns.
 */
export function askingFirst(
  questionOf: (cell: CodeCell, session: ISessionContext) => Question | null,
  execute: Execute
): Execute {
  /** For each session, whether the last cell that waits will run. */
  const waiting = new Map<ISessionContext, Promise<boolean>>();
  return (cell, session, metadata) => {
    const before = waiting.get(session);
    if (before === undefined && questionOf(cell, session) === null) {
      return execute(cell, session, metadata);
    }
    let run: ReturnType<Execute> | undefined;
    const isSent = (async () => {
      if ((await before) === false || cell.isDisposed) {
        return false;
      }
      // The answer to the question before may have changed this cell.
      const mayRun = (await questionOf(cell, session)?.()) ?? true;
      if (mayRun && !cell.isDisposed) {
        run = execute(cell, session, metadata);
      }
      return run !== undefined;
    })();
    waiting.set(session, isSent);
    return isSent
      .finally(() => {
        if (waiting.get(session) === isSent) {
          waiting.delete(session);
        }
      })
      .then(sent => {
        if (!sent) {
          // JupyterLab knows by this word that a cell was not run.
          throw new Error('Canceled by the person who was asked');
        }
        return run;
      });
  };
}

/** Let `questionOf` be asked before any cell of the page runs. */
export function askBeforeRuns(
  questionOf: (cell: CodeCell, session: ISessionContext) => Question | null
): void {
  const usual = CodeCell.execute;
  const execute = askingFirst(questionOf, usual);
  Object.assign(CodeCell, { execute });
}
