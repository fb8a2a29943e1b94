import type { IDiffModel, IVersion } from '@jupyterlab/git';

import type { IChatCell } from './chatCell';

/** Reads the cells of a text as a file with that path; null if it is no chat. */
export type ReadCells = (
  path: string,
  text: string
) => Promise<IChatCell[] | null>;

/** The cells of two versions, why they cannot be shown, or null for files that are no chats. */
export type Versions =
  | { readonly before: IChatCell[]; readonly after: IChatCell[] }
  | { readonly reason: string }
  | null;

/** Read both versions of a file. */
export async function readVersions(
  model: IDiffModel,
  read: ReadCells
): Promise<Versions> {
  const cells = async (version: IVersion) => {
    const text = await version.content();
    // A file that was added or deleted has one version without text.
    return text.trim() === '' ? [] : read(model.filename, text);
  };
  try {
    const [before, after] = await Promise.all([
      cells(model.reference),
      cells(model.challenger)
    ]);
    return before && after ? { before, after } : null;
  } catch (reason) {
    return {
      reason: reason instanceof Error ? reason.message : String(reason)
    };
  }
}
