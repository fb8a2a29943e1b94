import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { type IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

/** Name of the kernelspec, and of the comm's target in its kernels. */
export const KERNEL_NAME = 'msgbook';

/** What the page does with a message; what it returns is sent back, if anything. */
export type CommHandler = (data: JSONValue) => JSONObject | null;

/** The part of a session context that a link needs. */
export type LinkedSession = Pick<
  ISessionContext,
  | 'session'
  | 'kernelChanged'
  | 'statusChanged'
  | 'connectionStatusChanged'
  | 'disposed'
>;

/**
 * Keeps one comm open to the msgbook kernel of a session, over kernel changes and restarts.
 *
 * The comm lives on a subshell where the kernel has them, so that a question is answered while a
 * cell runs. A kernel that closes the comm is not asked again before it restarts. A link ends with
 * its session.
 */
export class KernelLink implements IDisposable {
  constructor(session: LinkedSession, handler: CommHandler) {
    this._session = session;
    this._handler = handler;
    session.kernelChanged.connect(this._onKernelChanged, this);
    session.statusChanged.connect(this._onStatusChanged, this);
    session.connectionStatusChanged.connect(this._ensureOpen, this);
    session.disposed.connect(this.dispose, this);
    this._ensureOpen();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Emitted when the comm was opened: messages can be sent. */
  get opened(): ISignal<this, void> {
    return this._opened;
  }

  /** Send a message; false when there is no open comm. */
  send(data: JSONObject): boolean {
    if (this._comm === null || this._comm.isDisposed || !this._isOpen) {
      return false;
    }
    this._comm.send(data);
    return true;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    Signal.clearData(this);
    this._close();
  }

  private _onKernelChanged(): void {
    this._refused = false;
    this._close();
    this._ensureOpen();
  }

  private _onStatusChanged(_: unknown, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._refused = false;
    }
    this._ensureOpen();
  }

  /** Open the comm if the kernel is ours, can be reached, and has none. */
  private _ensureOpen(): void {
    const kernel = this._session.session?.kernel;
    if (
      this._isDisposed ||
      this._refused ||
      !kernel ||
      kernel.name !== KERNEL_NAME ||
      !kernel.handleComms ||
      kernel.connectionStatus !== 'connected' ||
      GONE.has(kernel.status) ||
      (this._comm !== null && !this._comm.isDisposed)
    ) {
      return;
    }
    const comm = kernel.createComm(KERNEL_NAME);
    comm.onMsg = msg => this._answer(comm, msg);
    comm.onClose = () => {
      this._refused = true;
    };
    this._comm = comm;
    this._isOpen = false;
    openOnSubshell(kernel, comm).then(
      () => this._onOpened(comm),
      reason => {
        console.warn(
          'No comm to the msgbook kernel: it will use the cells it remembers.',
          reason
        );
      }
    );
  }

  private _onOpened(comm: Kernel.IComm): void {
    if (comm === this._comm && !comm.isDisposed) {
      this._isOpen = true;
      this._opened.emit();
    }
  }

  private _answer(comm: Kernel.IComm, msg: KernelMessage.ICommMsgMsg): void {
    const answer = this._handler(msg.content.data);
    if (answer !== null && !comm.isDisposed) {
      comm.send(answer);
    }
  }

  private _close(): void {
    const comm = this._comm;
    this._comm = null;
    if (comm === null || comm.isDisposed) {
      return;
    }
    comm.onClose = () => undefined;
    const kernel = this._session.session?.kernel;
    if (kernel && !kernel.isDisposed && kernel.hasComm(comm.commId)) {
      comm.close();
    } else {
      comm.dispose();
    }
  }

  private readonly _session: LinkedSession;
  private readonly _handler: CommHandler;
  private _comm: Kernel.IComm | null = null;
  private readonly _opened = new Signal<this, void>(this);
  private _isOpen = false;
  private _refused = false;
  private _isDisposed = false;
}

const GONE: ReadonlySet<Kernel.Status> = new Set([
  'dead',
  'terminating',
  'restarting',
  'autorestarting'
]);

async function openOnSubshell(
  kernel: Kernel.IKernelConnection,
  comm: Kernel.IComm
): Promise<void> {
  // JupyterLab's comms have it, their interface does not; it never settles without subshells.
  const subshell = (comm as { subshellStarted?: Promise<void> })
    .subshellStarted;
  await kernel.info;
  if (kernel.supportsSubshells) {
    try {
      await subshell;
    } catch (reason) {
      console.warn('No subshell for the msgbook comm: the main one.', reason);
    }
  }
  if (!comm.isDisposed) {
    comm.open();
  }
}
