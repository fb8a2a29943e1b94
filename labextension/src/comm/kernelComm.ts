import { KernelMessage, type Kernel } from '@jupyterlab/services';
import { UUID, type JSONObject, type JSONValue } from '@lumino/coreutils';
import { type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { isObject, asText } from '../turn/model';

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
  constructor(kernel: CommKernel, target: string) {
    this._kernel = kernel;
    this._target = target;
    kernel.iopubMessage.connect(this._onMessage, this);
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

  private readonly _kernel: CommKernel;
  private readonly _target: string;
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
