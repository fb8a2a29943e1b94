import type { ISessionContext } from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';
import type { PageConnection } from '../live/pageConnection';
import { FollowedCell } from '../panels/contextModel';
import type { IPageConnections } from '../tokens';

/** A notebook whose signals can be emitted. */
function fakeConnection() {
  const sender = {};
  const signals = {
    connected: new Signal<object, void>(sender),
    activeCellChanged: new Signal<object, unknown>(sender),
    modelContentChanged: new Signal<object, void>(sender),
    statusChanged: new Signal<object, unknown>(sender),
    kernelChanged: new Signal<object, unknown>(sender)
  };
  const { activeCellChanged, modelContentChanged } = signals;
  const connection = {
    connected: signals.connected,
    cells: { isAnyRunning: () => false },
    panel: {
      isDisposed: false,
      content: { activeCell: null, activeCellChanged, modelContentChanged },
      sessionContext: signals as unknown as ISessionContext
    }
  };
  const emitAll = () =>
    Object.values(signals).forEach(signal =>
      (signal as Signal<object, unknown>).emit('unknown')
    );
  return { connection: connection as unknown as PageConnection, emitAll };
}

/** Let what was begun set its timers. */
async function settle(): Promise<void> {
  for (let step = 0; step < 20; step++) {
    await Promise.resolve();
  }
}

it('a panel that is closed starts no timer and hears of nothing', async () => {
  jest.useFakeTimers();
  try {
    const { connection, emitAll } = fakeConnection();
    const currentChanged = new Signal<object, unknown>({});
    const connections = { current: connection, currentChanged };
    const cell = new FollowedCell(connections as unknown as IPageConnections);
    let changes = 0;
    cell.changed.connect(() => (changes += 1));
    emitAll();
    await settle();
    expect([changes, jest.getTimerCount()]).toEqual([0, 0]);

    cell.start();
    emitAll();
    await settle();
    expect(jest.getTimerCount()).toBeGreaterThan(0);
    cell.stop();
    await settle();
    jest.advanceTimersByTime(10_000);
    await settle();
    const before = changes;
    emitAll();
    await settle();
    currentChanged.emit(connection);
    await settle();
    expect([changes, jest.getTimerCount()]).toEqual([before, 0]);
    cell.dispose();
  } finally {
    jest.useRealTimers();
  }
});
