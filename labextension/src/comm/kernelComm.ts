import { type Kernel, KernelMessage } from '@jupyterlab/services';
import { type JSONObject, type JSONValue, UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';
import { bareCellOf, KERNEL_NAME } from './ourKernels';
import { asText, isObject } from '../turn/reading';
import type { ISessionContext } from '@jupyterlab/apputils';

/** States of a kernel that does not answer. */
export const GONE: ReadonlySet<Kernel.Status> = new Set([
  'dead',
  'terminating',
  'restarting',
  'autorestarting'
]);

/** The part of a kernel connection that a comm needs. */
export type CommKernel = Pick<
  Kernel.IKernelConnection,
  | 'clientId'
  | 'username'
  | 'info'
  | 'supportsSubshells'
  | 'isDisposed'
  | 'status'
  | 'iopubMessage'
  | 'sendShellMessage'
  | 'sendControlMessage'
>;

/**
 * A comm on a subshell of its own, which works while a cell runs.
 *
 * JupyterLab's comms first wait for the kernel's info, which a busy kernel sends only when its cell
 * is done. A page that is loaded during a turn could not answer any question. So the subshell is
 * made over the control channel, which always answers.
 */
export class KernelComm implements IDisposable {
  constructor(
    private readonly _kernel: CommKernel,
    private readonly _target: string
  ) {
    this._kernel.iopubMessage.connect(this._onMessage, this);
  }

  /** Emitted with the data of each message of the kernel. */
  get received(): ISignal<this, JSONValue> {
    return this._received;
  }

  /** Emitted when the kernel closes the comm, before it is disposed. */
  get closed(): ISignal<this, void> {
    return this._closed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether messages can be sent. */
  get isOpen(): boolean {
    return this._isOpen && !this._isDisposed && !this._kernel.isDisposed;
  }

  /** Open the comm; reject if the kernel goes away meanwhile. A disposed comm stays closed. */
  async open(): Promise<void> {
    this._subshell = await startSubshell(this._kernel);
    if (!this._isDisposed) {
      this._send('comm_open', { target_name: this._target, data: {} });
      this._isOpen = true;
    } else if (this._canTell) {
      this._stopSubshell();
    }
  }

  /**
   * Send a message; the comm has to be open.
   *
   * @param secret - Sent beside the message: Jupyter's logs print its data.
   */
  send(data: JSONObject, secret?: string): void {
    const buffers = secret ? [new TextEncoder().encode(secret).buffer] : [];
    this._send('comm_msg', { data }, buffers);
  }

  /** Close the comm, and tell the kernel if it can be reached. */
  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    if (this.isOpen && this._canTell) {
      this._send('comm_close', { data: {} });
      this._stopSubshell();
    }
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private get _canTell(): boolean {
    return !this._kernel.isDisposed && !GONE.has(this._kernel.status);
  }

  private _send(
    msgType: 'comm_open' | 'comm_msg' | 'comm_close',
    content: JSONObject,
    buffers: ArrayBuffer[] = []
  ): void {
    const message = KernelMessage.createMessage({
      msgType,
      channel: 'shell',
      username: this._kernel.username,
      session: this._kernel.clientId,
      subshellId: this._subshell,
      content: { comm_id: this._id, ...content },
      buffers
    } as KernelMessage.IOptions<KernelMessage.ICommMsgMsg<'shell'>>);
    this._kernel.sendShellMessage(message, false, true);
  }

  private _stopSubshell(): void {
    if (this._subshell !== null) {
      const message =
        KernelMessage.createMessage<KernelMessage.IDeleteSubshellRequestMsg>({
          msgType: 'delete_subshell_request',
          channel: 'control',
          username: this._kernel.username,
          session: this._kernel.clientId,
          content: { subshell_id: this._subshell }
        });
      this._kernel.sendControlMessage(message, false, true);
    }
  }

  private _onMessage(_: unknown, message: KernelMessage.IMessage): void {
    const content: unknown = message.content;
    if (!isObject(content) || content.comm_id !== this._id) {
      return;
    }
    if (message.header.msg_type === 'comm_msg') {
      this._received.emit(content.data as JSONValue);
    } else if (message.header.msg_type === 'comm_close') {
      this._isOpen = false;
      this._closed.emit();
      this.dispose();
    }
  }

  private readonly _id = UUID.uuid4();
  private readonly _received = new Signal<this, JSONValue>(this);
  private readonly _closed = new Signal<this, void>(this);
  private _subshell: string | null = null;
  private _isOpen = false;
  private _isDisposed = false;
}

/** Start a subshell and return its id; null if the kernel has none. */
async function startSubshell(kernel: CommKernel): Promise<string | null> {
  const message =
    KernelMessage.createMessage<KernelMessage.ICreateSubshellRequestMsg>({
      msgType: 'create_subshell_request',
      channel: 'control',
      username: kernel.username,
      session: kernel.clientId,
      content: {}
    });
  const request = kernel.sendControlMessage(message, true, true);
  const started = new Promise<string | null>((resolve, reject) => {
    // The reply is enough: a kernel that has just started can lose the status `idle`.
    request.onReply = reply => resolve(subshellId(reply.content));
    request.done.then(reply => resolve(subshellId(reply.content)), reject);
  });
  // A kernel without subshells does not answer the request, but its info says that it has none.
  const none = kernel.info.then(() =>
    kernel.supportsSubshells ? started : null
  );
  return Promise.race([started, none]);
}

function subshellId(content: unknown): string | null {
  return isObject(content) ? (asText(content.subshell_id) ?? null) : null;
}

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
  constructor(
    private readonly _session: LinkedSession,
    private readonly _handler: CommHandler
  ) {
    this._session.kernelChanged.connect(this._onKernelChanged, this);
    this._session.statusChanged.connect(this._onStatusChanged, this);
    this._session.connectionStatusChanged.connect(this._ensureOpen, this);
    this._session.disposed.connect(this.dispose, this);
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
      bareCellOf(kernel.name) === null ||
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

  private readonly _opened = new Signal<this, void>(this);
  private _comm: KernelComm | null = null;
  private _timer: number | undefined;
  private _refused = false;
  private _isDisposed = false;
}
