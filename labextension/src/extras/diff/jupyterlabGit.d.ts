/*
 * What is used of jupyterlab-git. Its package on npm is years older than the extension, so the types
 * stand here; tests/compat/everywhere/test_git.py tests them with the extension.
 */
declare module '@jupyterlab/git' {
  import type { Toolbar } from '@jupyterlab/apputils';
  import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
  import type { Contents } from '@jupyterlab/services';
  import type { Token } from '@lumino/coreutils';
  import type { Widget } from '@lumino/widgets';

  /** One version of a file. */
  export interface IVersion {
    readonly label: string;
    content(): Promise<string>;
  }

  /** Two versions of a file; with a conflict, the one to be written, too. */
  export interface IDiffModel {
    readonly filename: string;
    readonly repositoryPath?: string;
    readonly reference: IVersion;
    readonly challenger: IVersion;
    readonly hasConflict?: boolean;
  }

  export interface IDiffOptions {
    readonly model: IDiffModel;
    readonly toolbar?: Toolbar;
  }

  export interface IDiffWidget extends Widget {
    readonly model: IDiffModel;
    readonly isFileResolved: boolean;
    getResolvedFile(): Promise<Partial<Contents.IModel>>;
    refresh(): Promise<void>;
  }

  export type DiffFactory = (options: IDiffOptions) => Promise<IDiffWidget>;

  export interface IGitExtension {
    registerDiffProvider(
      name: string,
      extensions: string[],
      factory: DiffFactory
    ): void;
    registerFallbackDiffProvider(factory: DiffFactory): void;
  }

  export const IGitExtension: Token<IGitExtension>;

  const plugins: JupyterFrontEndPlugin<unknown>[];
  export default plugins;
}
