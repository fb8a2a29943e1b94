import type { Kernel } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import { KernelLink, type LinkedSession } from '../comm/kernelComm';

interface IMessage {
  readonly header: { readonly msg_type: string; readonly subshell_id?: string };
  readonly content: Record<string, JSONValue>;
}

interface IRequest {
  readonly done: Promise<object>;
  onReply?: (reply: object) => void;
}

/** What the link sees of a kernel, and what the kernel sees of the link. */
class FakeKernel {
  constructor(readonly name = 'msgbook') {}

  status: Kernel.Status = 'idle';
  connectionStatus: Kernel.ConnectionStatus = 'connected';
  isDisposed = false;
  supportsSubshells = true;
  readonly clientId = 'client';
  readonly username = 'user';
  /** Never given by a busy kernel. */
  info: Promise<object> = new Promise(() => {});
  subshell: Promise<object> = Promise.resolve({
    content: { subshell_id: 'sub' }
  });
  readonly iopubMessage = new Signal<this, object>(this);
  readonly shell: IMessage[] = [];
  readonly control: IMessage[] = [];

  sendShellMessage(message: IMessage): void {
    this.shell.push(message);
  }

  sendControlMessage(message: IMessage): IRequest {
    this.control.push(message);
    this.request = { done: this.subshell };
    return this.request;
  }

  /** What was asked for last on the control channel. */
  request: IRequest | null = null;

  /** Types of the messages that were sent on the shell channel. */
  get types(): string[] {
    return this.shell.map(({ header }) => header.msg_type);
  }

  /** Data that were sent on comms. */
  get sent(): JSONValue[] {
    return this.shell
      .filter(({ header }) => header.msg_type === 'comm_msg')
      .map(({ content }) => content.data);
  }

  /** Send a message on the comm that was opened last. */
  say(data: JSONValue, msg_type = 'comm_msg'): void {
    const { comm_id } = this.shell.at(-1)!.content;
    this.iopubMessage.emit({
      header: { msg_type },
      content: { comm_id, data }
    });
  }
}

class FakeSession {
  constructor(kernel: FakeKernel) {
    this.session = { kernel };
  }

  session: { kernel: FakeKernel };
  readonly kernelChanged = new Signal<this, void>(this);
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly connectionStatusChanged = new Signal<this, void>(this);
  readonly disposed = new Signal<this, void>(this);

  status(status: Kernel.Status): void {
    this.session.kernel.status = status;
    this.statusChanged.emit(status);
  }
}

function link(
  session: FakeSession,
  handler: (data: JSONValue) => JSONObject | null = () => null
): KernelLink {
  return new KernelLink(session as unknown as LinkedSession, handler);
}

/** Let promises that are settled already be seen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await Promise.resolve();
  }
}

describe('KernelLink', () => {
  it('opens one comm on a subshell, of a busy kernel too, and answers', async () => {
    const kernel = new FakeKernel();
    kernel.status = 'busy';
    let start: (reply: object) => void = () => {};
    kernel.subshell = new Promise(resolve => {
      start = resolve;
    });
    const session = new FakeSession(kernel);
    const it = link(session, data => (data === 'known' ? { answer: 1 } : null));
    const opened = jest.fn();
    it.opened.connect(opened);
    await settle();
    expect(kernel.types).toEqual([]);
    expect(it.send({})).toBe(false);
    expect(it.isOpening).toBe(true);
    start({ content: { subshell_id: 'sub' } });
    await settle();
    expect(kernel.types).toEqual(['comm_open']);
    expect(kernel.shell[0].content.target_name).toBe('msgbook');
    expect(opened).toHaveBeenCalledTimes(1);
    expect(it.isOpening).toBe(false);
    session.status('busy');
    kernel.say('unknown');
    kernel.say('known');
    expect(it.send({ more: 2 })).toBe(true);
    expect(kernel.sent).toEqual([{ answer: 1 }, { more: 2 }]);
    expect(kernel.shell.map(({ header }) => header.subshell_id)).toEqual(
      Array(3).fill('sub')
    );
  });

  it('opens a comm as soon as it has a subshell, though no word of the end comes', async () => {
    const kernel = new FakeKernel();
    kernel.subshell = new Promise(() => {});
    link(new FakeSession(kernel));
    await settle();
    kernel.request!.onReply!({ content: { subshell_id: 'sub' } });
    await settle();
    expect(kernel.types).toEqual(['comm_open']);
    expect(kernel.shell[0].header.subshell_id).toBe('sub');
  });

  it('asks again for a subshell until one comes, and opens one comm', async () => {
    jest.useFakeTimers();
    try {
      const kernel = new FakeKernel();
      kernel.subshell = new Promise(() => {});
      const it = link(new FakeSession(kernel));
      jest.advanceTimersByTime(4999);
      expect(kernel.control).toHaveLength(1);
      const late = kernel.request!;
      jest.advanceTimersByTime(1);
      expect(kernel.control).toHaveLength(2);
      expect(it.isOpening).toBe(true);
      jest.advanceTimersByTime(9999);
      expect(kernel.control).toHaveLength(2);

      kernel.request!.onReply!({ content: { subshell_id: 'second' } });
      await settle();
      late.onReply!({ content: { subshell_id: 'first' } });
      await settle();
      jest.advanceTimersByTime(60_000);
      expect(it.isOpening).toBe(false);
      expect(kernel.types).toEqual(['comm_open']);
      expect(kernel.shell[0].header.subshell_id).toBe('second');
      expect(kernel.control).toHaveLength(3);
      expect(kernel.control[2].header.msg_type).toBe('delete_subshell_request');
      expect(kernel.control[2].content).toEqual({ subshell_id: 'first' });
    } finally {
      jest.useRealTimers();
    }
  });

  it.each(['restarting', 'dead'] as const)(
    'asks nothing more of a kernel that is %s',
    status => {
      jest.useFakeTimers();
      try {
        const kernel = new FakeKernel();
        kernel.subshell = new Promise(() => {});
        const session = new FakeSession(kernel);
        link(session);
        session.status(status);
        expect(jest.getTimerCount()).toBe(0);
        expect(kernel.control).toHaveLength(1);
      } finally {
        jest.useRealTimers();
      }
    }
  );

  it('does not hear the comms of others', async () => {
    const kernel = new FakeKernel();
    const handler = jest.fn(() => null);
    link(new FakeSession(kernel), handler);
    await settle();
    for (const content of [{ comm_id: 'other', data: 1 }, null, 'x']) {
      kernel.iopubMessage.emit({ header: { msg_type: 'comm_msg' }, content });
    }
    expect(handler).not.toHaveBeenCalled();
  });

  it('does not wait for subshells that the kernel does not have', async () => {
    const kernel = new FakeKernel();
    kernel.supportsSubshells = false;
    kernel.subshell = new Promise(() => {});
    kernel.info = Promise.resolve({});
    link(new FakeSession(kernel));
    await settle();
    expect(kernel.types).toEqual(['comm_open']);
    expect(kernel.shell[0].header.subshell_id).toBeFalsy();
  });

  it('says so when no comm can be had', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const kernel = new FakeKernel();
    kernel.subshell = Promise.reject(new Error('no'));
    const session = new FakeSession(kernel);
    const it = link(session);
    await settle();
    expect(warn).toHaveBeenCalled();
    expect(it.send({})).toBe(false);
    session.status('idle');
    expect(kernel.control).toHaveLength(1);
    warn.mockRestore();
  });

  it('leaves other kernels, and those it cannot reach, alone', () => {
    const others = [new FakeKernel('python3'), new FakeKernel()];
    others[1].connectionStatus = 'connecting';
    for (const kernel of others) {
      link(new FakeSession(kernel));
      expect(kernel.control).toEqual([]);
    }
  });

  it('opens a new comm after a restart, and on another kernel', async () => {
    const kernel = new FakeKernel();
    const session = new FakeSession(kernel);
    link(session);
    await settle();
    session.status('restarting');
    await settle();
    expect(kernel.types).toEqual(['comm_open']);
    session.status('idle');
    await settle();
    expect(kernel.types).toEqual(['comm_open', 'comm_open']);
    const other = new FakeKernel();
    session.session = { kernel: other };
    session.kernelChanged.emit();
    await settle();
    expect(kernel.types.at(-1)).toBe('comm_close');
    expect(other.types).toEqual(['comm_open']);
  });

  it('does not ask a kernel again that closed the comm, before it restarts', async () => {
    const kernel = new FakeKernel();
    const session = new FakeSession(kernel);
    const it = link(session);
    await settle();
    kernel.say({}, 'comm_close');
    expect(it.send({})).toBe(false);
    session.status('idle');
    await settle();
    expect(kernel.types).toEqual(['comm_open']);
    session.status('autorestarting');
    session.status('idle');
    await settle();
    expect(kernel.types).toEqual(['comm_open', 'comm_open']);
  });

  it('closes comm and subshell with the session, and is deaf from then on', async () => {
    const kernel = new FakeKernel();
    const session = new FakeSession(kernel);
    const it = link(session);
    await settle();
    session.disposed.emit();
    expect(it.isDisposed).toBe(true);
    expect(kernel.types).toEqual(['comm_open', 'comm_close']);
    expect(kernel.control.map(({ header }) => header.msg_type)).toEqual([
      'create_subshell_request',
      'delete_subshell_request'
    ]);
    session.status('idle');
    await settle();
    expect(kernel.types).toHaveLength(2);
  });
});
