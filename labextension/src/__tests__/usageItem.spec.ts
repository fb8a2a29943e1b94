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
  const ask = jest.fn(() => Promise.resolve(usage));
  const panel = {
    content: {},
    context: {
      model: { cells: { length: 1, get: () => ({ id: 'a' }), changed: cells } }
    },
    sessionContext: { kernelChanged: new Signal(sender) }
  };
  const connected = new Signal<object, void>(sender);
  const current = { isChat: true, connected, panel, queries: { ask } };
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
  return { ask, bar, change, item };
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
