import type { Kernel } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { KernelLink, type LinkedSession } from '../comm/kernelLink';

/** What the link sees of a comm. */
class FakeComm {
  opened = false;
  closed = false;
  isDisposed = false;
  readonly commId = 'comm';
  readonly sent: JSONValue[] = [];
  subshellStarted: Promise<void> = Promise.resolve();
  onMsg: (msg: unknown) => void = () => {};
  onClose: (msg: unknown) => void = () => {};

  open(): void {
    this.opened = true;
  }

  send(data: JSONValue): void {
    this.sent.push(data);
  }

  close(): void {
    this.closed = true;
    this.dispose();
  }

  dispose(): void {
    this.isDisposed = true;
  }

  ask(data: JSONValue): void {
    this.onMsg({ content: { data } });
  }
}

class FakeKernel {
  constructor(readonly name = 'msgbook') {}

  status: Kernel.Status = 'idle';
  connectionStatus: Kernel.ConnectionStatus = 'connected';
  handleComms = true;
  isDisposed = false;
  supportsSubshells = true;
  info = Promise.resolve({});
  readonly comms: FakeComm[] = [];
  subshellStarted: Promise<void> = Promise.resolve();

  get comm(): FakeComm {
    return this.comms[this.comms.length - 1];
  }

  createComm(): FakeComm {
    const comm = new FakeComm();
    comm.subshellStarted = this.subshellStarted;
    this.comms.push(comm);
    return comm;
  }

  hasComm(): boolean {
    return true;
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
  for (let i = 0; i < 5; i++) {
    await Promise.resolve();
  }
}

describe('KernelLink', () => {
  it('opens one comm when the subshell has started, and answers', async () => {
    const kernel = new FakeKernel();
    let start = () => {};
    kernel.subshellStarted = new Promise(resolve => {
      start = resolve;
    });
    const session = new FakeSession(kernel);
    link(session, data => (data === 'known' ? { answer: 1 } : null));
    await settle();
    expect(kernel.comm.opened).toBe(false);
    start();
    await settle();
    expect(kernel.comm.opened).toBe(true);
    session.status('busy');
    expect(kernel.comms).toHaveLength(1);
    kernel.comm.ask('unknown');
    kernel.comm.ask('known');
    expect(kernel.comm.sent).toEqual([{ answer: 1 }]);
  });

  it('does not wait for subshells that the kernel does not have', async () => {
    const kernel = new FakeKernel();
    kernel.supportsSubshells = false;
    kernel.subshellStarted = new Promise(() => {});
    link(new FakeSession(kernel));
    await settle();
    expect(kernel.comm.opened).toBe(true);
  });

  it('falls back to the main shell when no subshell can be had', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const kernel = new FakeKernel();
    kernel.subshellStarted = Promise.reject(new Error('no'));
    link(new FakeSession(kernel));
    await settle();
    expect(kernel.comm.opened).toBe(true);
    warn.mockRestore();
  });

  it('leaves other kernels, and those it cannot reach, alone', () => {
    const others = [
      new FakeKernel('python3'),
      new FakeKernel(),
      new FakeKernel()
    ];
    others[1].connectionStatus = 'connecting';
    others[2].handleComms = false;
    for (const kernel of others) {
      link(new FakeSession(kernel));
      expect(kernel.comms).toEqual([]);
    }
  });

  it('opens a new comm after a restart, and on another kernel', async () => {
    const kernel = new FakeKernel();
    const session = new FakeSession(kernel);
    link(session);
    kernel.comm.dispose();
    session.status('restarting');
    expect(kernel.comms).toHaveLength(1);
    session.status('idle');
    await settle();
    expect(kernel.comms.map(comm => comm.opened)).toEqual([false, true]);
    const other = new FakeKernel();
    session.session = { kernel: other };
    session.kernelChanged.emit();
    await settle();
    expect(kernel.comm.isDisposed).toBe(true);
    expect(other.comm.opened).toBe(true);
  });

  it('does not ask a kernel again that closed the comm, before it restarts', async () => {
    const kernel = new FakeKernel();
    const session = new FakeSession(kernel);
    link(session);
    await settle();
    kernel.comm.onClose({});
    kernel.comm.dispose();
    session.status('idle');
    expect(kernel.comms).toHaveLength(1);
    session.status('autorestarting');
    session.status('idle');
    expect(kernel.comms).toHaveLength(2);
  });

  it('closes the comm with the session, and is deaf from then on', async () => {
    const kernel = new FakeKernel();
    const session = new FakeSession(kernel);
    const it = link(session);
    await settle();
    session.disposed.emit();
    expect(it.isDisposed).toBe(true);
    expect(kernel.comm.closed).toBe(true);
    session.status('idle');
    expect(kernel.comms).toHaveLength(1);
  });
});
