import type { Kernel, ServiceManager, Session } from '@jupyterlab/services';
import { type JSONObject, UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { handle } from '../comm/handlers';
import { GONE, KernelComm } from '../comm/kernelComm';
import { KERNEL_NAME } from '../comm/ourKernels';
import { type IQueryWords, Queries, QueryError } from '../comm/queries';
import type { TranslationBundle } from '@jupyterlab/translation';

export interface ISetupWords extends IQueryWords {
  readonly notInstalled: string;
}

/**
 * A kernel of its own for the form that connects a model.
 *
 * It reads the settings as a new chat will, is never busy, and ends with the form.
 */
export class SetupKernel implements IDisposable {
  constructor(
    private readonly _services: ServiceManager.IManager,
    /** Name of the kernel in JupyterLab's list of what runs. */
    private readonly _title: string,
    private readonly _words: ISetupWords
  ) {
    this._queries = new Queries(data => this._send(data), this._words);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /**
   * Ask the kernel, which is started first if need be; reject with a `QueryError`.
   *
   * @param secret - A key, which no log may print.
   */
  async ask(
    name: string,
    params: JSONObject = {},
    patience?: number,
    secret?: string
  ): Promise<JSONObject> {
    this._started ??= this._start();
    try {
      await this._started;
    } catch (error) {
      this._end();
      throw error;
    }
    return this._queries.ask(name, params, patience, data =>
      this._send(data, secret)
    );
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._end();
    }
  }

  private async _start(): Promise<void> {
    const { kernelspecs, sessions } = this._services;
    await kernelspecs.ready;
    if (kernelspecs.specs?.kernelspecs[KERNEL_NAME] === undefined) {
      throw new QueryError(this._words.notInstalled);
    }
    const session = await sessions.startNew({
      name: this._title,
      path: `msgbook-setup-${UUID.uuid4()}`,
      type: 'console',
      kernel: { name: KERNEL_NAME }
    });
    this._session = session;
    const { kernel } = session;
    if (kernel === null || this._isDisposed) {
      throw new QueryError(this._words.noKernel);
    }
    const gone = new Promise<never>((_, reject) => {
      session.statusChanged.connect((_, status) => {
        if (GONE.has(status) && session === this._session) {
          this._end();
          reject(new QueryError(this._words.noKernel));
        }
      });
    });
    await Promise.race([this._open(kernel), gone]);
  }

  private async _open(kernel: Kernel.IKernelConnection): Promise<void> {
    await kernel.info;
    const comm = new KernelComm(kernel, KERNEL_NAME);
    comm.received.connect((_, data) => handle(this._queries.handlers, data));
    comm.closed.connect(() => this._end());
    this._comm = comm;
    await comm.open();
  }

  private _send(data: JSONObject, secret?: string): boolean {
    const isOpen = this._comm?.isOpen ?? false;
    if (isOpen) {
      this._comm!.send(data, secret);
    }
    return isOpen;
  }

  /** Shut the kernel down; the next question starts another. */
  private _end(): void {
    this._started = null;
    this._queries.clear();
    this._comm?.dispose();
    this._comm = null;
    const session = this._session;
    this._session = null;
    session?.shutdown().catch((reason: unknown) => {
      console.warn('The kernel of the form was not shut down.', reason);
    });
  }

  private readonly _queries: Queries;
  private _session: Session.ISessionConnection | null = null;
  private _comm: KernelComm | null = null;
  private _started: Promise<void> | null = null;
  private _isDisposed = false;
}

/** Return what a kernel of the set-up tells the reader when it cannot answer. */
export function setupWords(trans: TranslationBundle): ISetupWords {
  return {
    noKernel: trans.__('The kernel that tests the settings is not running.'),
    noAnswer: trans.__('The kernel does not answer. Try again.'),
    notInstalled: trans.__(
      'The kernel “Chat (msgbook)” is not installed on this server. Install msgbook with the Python that runs JupyterLab.'
    )
  };
}
