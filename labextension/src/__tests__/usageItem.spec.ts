import type { JupyterFrontEnd } from '@jupyterlab/application';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Panel, Widget } from '@lumino/widgets';

import { UsageItem } from '../panels/usageItem';
import type { IPageConnections } from '../tokens';

const usage = {
  turns: 1,
  input: { known: 11, is_complete: true },
  output: { known: 7, is_complete: true },
  cached: { known: null, is_complete: false },
  cost: { known: null, is_complete: false },
  window_share: null
};

/** An item in one side of a status bar, and the chat in front. */
function putInStatusBar() {
  const sender = {};
  const cells = new Signal<object, void>(sender);
  const statusChanged = new Signal<object, string>(sender);
  const ask = jest.fn(() => Promise.resolve(usage));
  const running = { now: false };
  const panel = {
    content: {},
    context: {
      model: { cells: { length: 1, get: () => ({ id: 'a' }), changed: cells } }
    },
    sessionContext: { kernelChanged: new Signal(sender), statusChanged }
  };
  const connected = new Signal<object, void>(sender);
  const current = {
    isChat: true,
    cells: { isAnyRunning: () => running.now },
    connected,
    panel,
    queries: { ask }
  };
  const currentChanged = new Signal<object, void>(sender);
  const item = new UsageItem(
    {
      currentWidget: panel,
      currentChanged: new Signal(sender)
    } as unknown as JupyterFrontEnd.IShell,
    { current, currentChanged } as unknown as IPageConnections,
    nullTranslator.load('msgbook'),
    () => undefined
  );
  // As the status bar does for an item without anything to show.
  item.hide();
  const bar = new Panel();
  const side = new Panel();
  bar.addWidget(side);
  side.addWidget(item);
  const change = () => {
    cells.emit();
    connected.emit();
    currentChanged.emit();
  };
  const status = () => statusChanged.emit('idle');
  return { ask, bar, change, item, running, status };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('the tokens are counted while the status bar is visible, and only then', async () => {
  const { ask, bar, change, item } = putInStatusBar();
  bar.hide();
  Widget.attach(bar, document.body);
  change();
  await jest.advanceTimersByTimeAsync(1000);
  expect(ask).not.toHaveBeenCalled();

  bar.show();
  await jest.advanceTimersByTimeAsync(1000);
  expect(ask).toHaveBeenCalledTimes(1);
  expect(item.isActive).toBe(true);
  item.show();
  change();
  await jest.advanceTimersByTimeAsync(1000);
  expect(ask).toHaveBeenCalledTimes(2);

  // What has just changed is not asked for any more.
  change();
  bar.hide();
  change();
  await jest.advanceTimersByTimeAsync(1000);
  expect(ask).toHaveBeenCalledTimes(2);

  bar.show();
  await jest.advanceTimersByTimeAsync(1000);
  expect(ask).toHaveBeenCalledTimes(3);
  bar.dispose();
});

it('nothing is asked while a cell runs, and once after the last has ended', async () => {
  const { ask, bar, change, running, status } = putInStatusBar();
  Widget.attach(bar, document.body);
  running.now = true;
  change();
  await jest.advanceTimersByTimeAsync(1000);
  status();
  await jest.advanceTimersByTimeAsync(1000);
  expect(ask).not.toHaveBeenCalled();

  running.now = false;
  status();
  await jest.advanceTimersByTimeAsync(1000);
  expect(ask).toHaveBeenCalledTimes(1);
  bar.dispose();
});
