import { PathExt } from '@jupyterlab/coreutils';
import { type Contents, ServerConnection } from '@jupyterlab/services';

/** Ending of a message file. */
export const MESSAGES = '.msg.md';

/** The files that the server holds. */
export type Files = Pick<Contents.IManager, 'get' | 'save'>;

/** Return whether a path has the name of a message file. */
export function isMessageFile(path: string): boolean {
  return path.endsWith(MESSAGES);
}

/** Return whether there is a file at `path`. */
export async function exists(files: Files, path: string): Promise<boolean> {
  return (await findFile(files, path, { content: false })) !== null;
}

/** Return the path of a file that is named from the folder of another file. */
export function pathBeside(
  contents: Contents.IManager,
  file: string,
  relative: string
): string {
  const folder = PathExt.dirname(contents.localPath(file));
  return onDriveOf(contents, file, PathExt.join(folder, relative));
}

/** Return a path as it is named from the folder of another file on the same drive. */
export function relativeTo(
  contents: Contents.IManager,
  file: string,
  path: string
): string {
  const folder = PathExt.dirname(contents.localPath(file));
  return PathExt.relative(folder, contents.localPath(path));
}

/** Return the file or folder at a path; null if there is none. */
export async function findFile(
  contents: Pick<Contents.IManager, 'get'>,
  path: string,
  options: Contents.IFetchOptions = { content: false }
): Promise<Contents.IModel | null> {
  try {
    return await contents.get(path, options);
  } catch (error) {
    if (
      error instanceof ServerConnection.ResponseError &&
      error.response.status === 404
    ) {
      return null;
    }
    throw error;
  }
}

function onDriveOf(
  contents: Contents.IManager,
  file: string,
  path: string
): string {
  const drive = contents.driveName(file);
  return drive === '' ? path : `${drive}:${path}`;
}
