import { PageConfig } from '@jupyterlab/coreutils';

import type { IConversationLink } from '../render/host';
import { conversationPath } from '../turn/agentRows';

/**
 * Return a link from one conversation to another; null for a path that cannot be opened.
 *
 * @param file - From the folder of the first.
 */
export function linkTo(
  from: string,
  file: string,
  open: (path: string) => void
): IConversationLink | null {
  const path = conversationPath(from, file);
  return path === null
    ? null
    : {
        url: PageConfig.getUrl({ treePath: path }),
        open: () => open(path)
      };
}
