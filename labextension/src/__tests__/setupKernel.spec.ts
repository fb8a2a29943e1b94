import type { ServiceManager } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { Queries } from '../comm/queries';
import { SetupKernel } from '../setup/setupKernel';

const KEY = 'sk-0123456789-secret';
const WORDS = { noKernel: '', noAnswer: '', notInstalled: '' };

interface IMessage {
  readonly content: JSONObject;
  readonly buffers: ArrayBuffer[];
}

/** A kernel that answers each query, and keeps what it was sent. */
class FakeKernel {
  readonly clientId = 'client';
  readonly username = 'user';
  readonly status = 'idle';
  readonly isDisposed = false;
  readonly supportsSubshells = false;
  readonly info = Promise.resolve({});
  readonly iopubMessage = new Signal<this, object>(this);
  readonly sent: IMessage[] = [];

  sendControlMessage(): object {
    return { done: Promise.resolve({ content: {} }) };
  }

  sendShellMessage(message: IMessage): void {
    this.sent.push(message);
    const { comm_id, data } = message.content;
    const { request_id } = data as JSONObject;
    const answer = { type: 'query.answer', request_id, result: {} };
    void Promise.resolve().then(() =>
      this.iopubMessage.emit({
        header: { msg_type: 'comm_msg' },
        content: { comm_id, data: answer }
      })
    );
  }
}

function services(kernel: FakeKernel): ServiceManager.IManager {
  const session = {
    kernel,
    statusChanged: new Signal<object, string>({}),
    shutdown: () => Promise.resolve()
  };
  return {
    kernelspecs: {
      ready: Promise.resolve(),
      specs: { kernelspecs: { msgbook: {} } }
    },
    sessions: { startNew: () => Promise.resolve(session) }
  } as unknown as ServiceManager.IManager;
}

it('the key of a question goes beside its message, and with no other one', async () => {
  const kernel = new FakeKernel();
  const setup = new SetupKernel(services(kernel), 'Setup', WORDS);
  await setup.ask('setup.test', { url: 'http://h' }, undefined, KEY);
  await setup.ask('setup.state');
  const [, tested, state] = kernel.sent;
  expect(tested.buffers.map(one => new TextDecoder().decode(one))).toEqual([
    KEY
  ]);
  expect(state.buffers).toEqual([]);
  expect(JSON.stringify(kernel.sent.map(({ content }) => content))).not.toMatch(
    KEY
  );
  setup.dispose();
});

it('the queries of a chat take no key, which they could only lose', async () => {
  const sent: JSONObject[] = [];
  const queries = new Queries(data => sent.push(data) > 0, WORDS);
  // @ts-expect-error The compiler refuses a key.
  await expect(queries.ask('name', {}, 1, KEY)).rejects.toThrow(TypeError);
  expect(sent).toEqual([]);
});
