import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { Token } from '@lumino/coreutils';
import type { PageConnection } from '../live/pageConnection';
import type { IPageConnections } from '../tokens';

type Tokens = readonly Token<unknown>[];

type Service<T, Absent> = T extends Token<infer S> ? S | Absent : never;

type Services<T extends Tokens, Absent> = {
  [K in keyof T]: Service<T[K], Absent>;
};

/** What `activate` gets: what a plugin requires, then what it can use. */
type Given<R extends Tokens, O extends Tokens> = [
  ...Services<R, never>,
  ...Services<O, null>
];

interface IPlugin<P, R extends Tokens, O extends Tokens> {
  readonly id: string;
  readonly description: string;
  readonly provides?: Token<P>;
  readonly requires?: R;
  /** What a page may lack. */
  readonly optional?: O;
  readonly activate: (
    app: JupyterFrontEnd,
    trans: TranslationBundle,
    ...services: Given<R, O>
  ) => P;
}

/** Return a plugin that JupyterLab starts with the page. Its services have the types of their tokens. */
export function plugin<
  P = void,
  const R extends Tokens = [],
  const O extends Tokens = []
>(parts: IPlugin<P, R, O>): JupyterFrontEndPlugin<P> {
  return {
    ...parts,
    autoStart: true,
    requires: [...(parts.requires ?? [])],
    optional: [...(parts.optional ?? []), ITranslator],
    activate: (app: JupyterFrontEnd, ...services: unknown[]) => {
      const translator = services.pop() as ITranslator | null;
      const trans = (translator ?? nullTranslator).load('msgbook');
      return parts.activate(
        app,
        trans,
        ...(services as unknown as Given<R, O>)
      );
    }
  };
}

/** Call `join` for each notebook that is open, and for each that is opened. */
export function forEachNotebook(
  notebooks: INotebookTracker,
  join: (panel: NotebookPanel) => unknown
): void {
  notebooks.forEach(join);
  notebooks.widgetAdded.connect((_, panel) => void join(panel));
}

/** Call `join` for the connection of each notebook that is open, and of each that is opened. */
export function forEachConnection(
  connections: IPageConnections,
  join: (connection: PageConnection) => unknown
): void {
  connections.all.forEach(join);
  connections.added.connect((_, connection) => void join(connection));
}
