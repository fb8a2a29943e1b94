import type { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';

import type { PageConnection } from './live/pageConnection';
import type { ChatSettings } from './plugins/settings';

/** The connections of the open notebooks to their kernels. */
export interface IPageConnections {
  /** Return the connection of a notebook. Each open notebook has one, also without our kernel. */
  of(panel: NotebookPanel): PageConnection | undefined;
  /** The connections of all open notebooks, oldest first. */
  readonly all: readonly PageConnection[];
  /** The connection of the notebook that was used last, as long as it is open. */
  readonly current: PageConnection | null;
  readonly currentChanged: ISignal<IPageConnections, PageConnection | null>;
  /** Emitted with each new connection. */
  readonly added: ISignal<IPageConnections, PageConnection>;
}

export const IPageConnections = new Token<IPageConnections>(
  '@msgbook/labextension:IPageConnections',
  'The connections of the open notebooks to their msgbook kernels.'
);

export type IChatSettings = ChatSettings;

export const IChatSettings = new Token<IChatSettings>(
  '@msgbook/labextension:IChatSettings',
  "The user's settings of chats."
);
