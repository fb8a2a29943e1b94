import { Signal } from '@lumino/signaling';
import type { JSONObject } from '@lumino/coreutils';

import type { PageConnection } from '../live/pageConnection';
import { AgentsModel } from '../panels/agentsModel';
import { RulesModel } from '../panels/rulesModel';
import type { IPageConnections } from '../tokens';

type Answer = (answer: JSONObject) => void;

/** A chat that keeps what it is asked, and answers when the test says so. */
class FakeChat {
  readonly asked: { name: string; answer: Answer }[] = [];
  readonly isChat = true;
  readonly connected = new Signal<this, void>(this);
  readonly received = new Signal<this, unknown>(this);
  readonly cells = { isAnyRunning: () => false };
  readonly queries = {
    ask: (name: string) =>
      new Promise<JSONObject>(answer => this.asked.push({ name, answer }))
  };
  readonly panel = {
    isDisposed: false,
    disposed: new Signal<this, void>(this),
    context: { localPath: 'chat.ipynb', pathChanged: new Signal(this) },
    sessionContext: {
      statusChanged: new Signal(this),
      kernelChanged: new Signal(this),
      session: null
    }
  };

  get connection(): PageConnection {
    return this as unknown as PageConnection;
  }
}

class FakeConnections {
  readonly currentChanged = new Signal<this, void>(this);
  readonly added = new Signal<this, PageConnection>(this);
  current: PageConnection | null = null;

  get all(): PageConnection[] {
    return this.current === null ? [] : [this.current];
  }

  get service(): IPageConnections {
    return this as unknown as IPageConnections;
  }

  show(chat: FakeChat): void {
    this.current = chat.connection;
    this.currentChanged.emit();
  }
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) {
    await Promise.resolve();
  }
};

/** A model of the Conversations panel that was started, and what it asks and hears. */
function openAgents() {
  const files = new Signal<object, unknown>({});
  const list = jest.fn(() => Promise.resolve({ agents: [] }));
  const model = new AgentsModel({
    connections: new FakeConnections().service,
    contents: { fileChanged: files } as never,
    list,
    folder: () => '',
    folderChanged: null
  });
  model.start();
  return { files, list, model };
}

describe('the Conversations panel', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('asks nothing once it is closed, also if something had just changed', async () => {
    const { files, list, model } = openAgents();
    await jest.advanceTimersByTimeAsync(3000);
    const before = list.mock.calls.length;
    expect(before).toBeGreaterThan(0);
    files.emit(null);
    model.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(list).toHaveBeenCalledTimes(before);
    model.dispose();
  });

  it('asks at most once a second while a kernel signals all the time', async () => {
    const { files, list, model } = openAgents();
    for (let tenth = 0; tenth < 40; tenth++) {
      files.emit(null);
      await jest.advanceTimersByTimeAsync(100);
    }
    expect(list.mock.calls.length).toBeLessThanOrEqual(6);
    model.dispose();
  });
});

function openRules(connections: FakeConnections): RulesModel {
  const model = new RulesModel(connections.service);
  model.start();
  return model;
}

it('a folder in which something runs is shown, too, and one that fails does not hide the others', async () => {
  const names: Record<string, object> = {
    '': { agents: [], running: ['', 'quiet', 'there', 'gone'] },
    quiet: { agents: [{ path: 'quiet/c', changed: 1 }] },
    there: {
      agents: ['standby', 'running'].map(status => ({
        path: `there/${status}`,
        changed: 1,
        status
      }))
    }
  };
  const model = new AgentsModel({
    connections: new FakeConnections().service,
    contents: { fileChanged: new Signal<object, unknown>({}) } as never,
    list: folder =>
      folder in names
        ? Promise.resolve(names[folder])
        : Promise.reject(new Error('no such folder')),
    folder: () => '',
    folderChanged: null
  });
  const shown = new Promise(resolve =>
    model.changed.connect(() => resolve(null))
  );
  model.start();
  await shown;
  expect(
    model.groups.map(({ folder, agents, problem }) => [
      folder,
      agents.map(({ path }) => path),
      problem
    ])
  ).toEqual([
    ['', [], ''],
    ['there', ['there/running'], ''],
    ['gone', [], 'no such folder']
  ]);
  model.dispose();
});

describe('the approval rules', () => {
  const rules = (policy: string) => ({ policy, rules: [], tools: [] });

  it('are those of the chat in front, whichever kernel answers first', async () => {
    const [first, second] = [new FakeChat(), new FakeChat()];
    const connections = new FakeConnections();
    connections.show(first);
    const model = openRules(connections);
    connections.show(second);
    second.asked[0].answer(rules('second'));
    await settle();
    first.asked[0].answer(rules('first'));
    await settle();
    expect(model.rules?.policy).toBe('second');
  });

  it('are asked for again when the kernel has restarted, and not once the panel is closed', () => {
    const chat = new FakeChat();
    const connections = new FakeConnections();
    connections.show(chat);
    const model = openRules(connections);
    chat.connected.emit();
    expect(chat.asked.length).toBe(2);
    model.stop();
    chat.connected.emit();
    chat.received.emit({ type: 'approvals.used' });
    connections.show(new FakeChat());
    expect(chat.asked.length).toBe(2);
  });

  it('are changed at the kernel whose rules are shown', async () => {
    const [first, second] = [new FakeChat(), new FakeChat()];
    const connections = new FakeConnections();
    connections.show(first);
    const model = openRules(connections);
    void model.remove('key');
    connections.show(second);
    first.asked[1].answer({});
    await settle();
    expect(first.asked.map(({ name }) => name)).toEqual([
      'approvals.list',
      'approvals.delete'
    ]);
    expect(second.asked.map(({ name }) => name)).toEqual(['approvals.list']);
  });
});
