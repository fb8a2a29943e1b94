import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { GONE, KernelComm } from './kernelComm';

/** Name of the kernelspec, and of the comm's target in its kernels. */
export const KERNEL_NAME = 'msgbook';

/**
 * Time limit of the first attempt to open a comm, in milliseconds; it doubles with each attempt.
 */
const PATIENCE = 5_000;

/** Handler of a message, whose result is sent back unless it is null. */
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
 * One comm to the msgbook kernel of a session, opened again after kernel changes and restarts.
 *
 * A kernel that has just started can lose a request, so an attempt that takes too long is followed
 * by the next. If a kernel closes the comm, no other is opened before it restarts. A link ends with
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

  /** Emitted when a comm was opened and messages can be sent. */
  get opened(): ISignal<this, void> {
    return this._opened;
  }

  /** Whether a comm is being opened, so that the kernel's state is not known yet. */
  get isOpening(): boolean {
    return this._comm !== null && !this._comm.isOpen;
  }

  /** Send a message; return false if no comm is open. */
  send(data: JSONObject): boolean {
    if (!this._comm?.isOpen) {
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
    if (GONE.has(status)) {
      this._refused = false;
      this._close();
    }
    this._ensureOpen();
  }

  private _ensureOpen(): void {
    if (this._comm === null) {
      this._open(PATIENCE);
    }
  }

  /**
   * Open a comm if the kernel is ours and can be reached; try again after `patience` milliseconds.
   */
  private _open(patience: number): void {
    const kernel = this._session.session?.kernel;
    if (
      this._isDisposed ||
      this._refused ||
      !kernel ||
      kernel.name !== KERNEL_NAME ||
      kernel.connectionStatus !== 'connected' ||
      GONE.has(kernel.status)
    ) {
      return;
    }
    const comm = new KernelComm(kernel, KERNEL_NAME);
    comm.received.connect((_, data) => this._answer(comm, data));
    comm.closed.connect(() => this._onClosed(comm));
    this._comm = comm;
    this._timer = window.setTimeout(() => {
      this._close();
      this._open(2 * patience);
    }, patience);
    comm.open().then(
      () => this._onOpened(comm),
      reason => this._onFailed(comm, reason)
    );
  }

  private _onOpened(comm: KernelComm): void {
    if (comm === this._comm && comm.isOpen) {
      window.clearTimeout(this._timer);
      this._opened.emit();
    }
  }

  private _onFailed(comm: KernelComm, reason: unknown): void {
    // If the kernel went away meanwhile, another comm or none has replaced this one.
    if (comm === this._comm) {
      console.warn(
        'No comm to the msgbook kernel: it will use the cells it remembers.',
        reason
      );
      this._refused = true;
      this._close();
    }
  }

  private _onClosed(comm: KernelComm): void {
    if (comm === this._comm) {
      this._refused = true;
      this._comm = null;
    }
  }

  private _answer(comm: KernelComm, data: JSONValue): void {
    const answer = this._handler(data);
    if (answer !== null && comm.isOpen) {
      comm.send(answer);
    }
  }

  private _close(): void {
    window.clearTimeout(this._timer);
    const comm = this._comm;
    this._comm = null;
    comm?.dispose();
  }

  private readonly _session: LinkedSession;
  private readonly _handler: CommHandler;
  private readonly _opened = new Signal<this, void>(this);
  private _comm: KernelComm | null = null;
  private _timer: number | undefined;
  private _refused = false;
  private _isDisposed = false;
}
