import { NotebookActions } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { Panel } from '@lumino/widgets';

import type { PageConnection } from '../live/pageConnection';
import { StaleTurns } from '../live/staleTurns';
import { TURN_MIME } from '../turn/model';

const SENDER = {};

/** A cell, with a turn or without. */
function cell(id: string, hasTurn: boolean) {
  const data = hasTurn ? { [TURN_MIME]: {} } : {};
  return {
    id,
    type: 'code',
    sharedModel: { changed: new Signal<object, object>(SENDER) },
    outputs: {
      length: 1,
      get: () => ({ data }),
      changed: new Signal<object, void>(SENDER)
    }
  };
}

/** A chat in view of two turns and a message that is not asked, whose kernel was asked once. */
async function chat() {
  const all = [cell('a', true), cell('b', true), cell('c', false)];
  const changed = new Signal<object, object>(SENDER);
  const cells = Object.assign(all, { changed });
  const ask = jest.fn(() => Promise.resolve({ groups: [] }));
  const panel = Object.assign(new Panel(), {
    content: { model: { cells } },
    context: { ready: Promise.resolve() },
    sessionContext: {
      statusChanged: new Signal(SENDER),
      kernelChanged: new Signal(SENDER)
    }
  });
  Object.defineProperty(panel, 'isVisible', { value: true });
  new StaleTurns({
    cells: { isAnyRunning: () => false },
    connected: new Signal(SENDER),
    isChat: true,
    panel,
    queries: { ask }
  } as unknown as PageConnection);
  await jest.advanceTimersByTimeAsync(2000);
  expect(ask).toHaveBeenCalledTimes(1);
  ask.mockClear();
  return {
    change: (index: number, what: object) =>
      all[index].sharedModel.changed.emit(what),
    /** Run a cell that has no turn yet, or another one. */
    schedule: (index: number) =>
      (NotebookActions.executionScheduled as Signal<unknown, object>).emit({
        notebook: panel.content,
        cell: { model: all[index] }
      }),
    /** A cell's outputs hold a turn now. */
    answer: (index: number) => {
      const { outputs } = all[index];
      outputs.get = () => ({ data: { [TURN_MIME]: {} } });
      outputs.changed.emit();
    },
    insert: (index: number, hasTurn: boolean) => {
      const added = cell('new', hasTurn);
      all.splice(index, 0, added);
      changed.emit({ type: 'add', newIndex: index, newValues: [added] });
    },
    remove: (index: number) => {
      all.splice(index, 1);
      changed.emit({ type: 'remove', oldIndex: index, newValues: [] });
    },
    /** Return how often the kernel is asked now. */
    asked: async () => {
      await jest.advanceTimersByTimeAsync(2000);
      return ask.mock.calls.length;
    }
  };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const SOURCE = { sourceChange: [] };
const OUTPUTS = { outputsChange: [] };

it.each([
  ['a prompt with an answer', 1, SOURCE],
  ['a cell above an answer', 0, SOURCE],
  ['an answer above another one', 0, OUTPUTS]
])('the kernel is asked after a change of %s', async (_, index, what) => {
  const { change, asked } = await chat();
  change(index, what);
  expect(await asked()).toBe(1);
});

it.each([
  ['an answer that is the last', 1, OUTPUTS],
  ['a message that is not asked yet', 2, SOURCE],
  ['outputs below the last answer', 2, OUTPUTS]
])('it is not asked after a change of %s', async (_, index, what) => {
  const { change, asked } = await chat();
  change(index, what);
  expect(await asked()).toBe(0);
});

it('it is asked for a cell that is new above an answer, or has one, or is gone', async () => {
  for (const act of [
    ({ insert }: Awaited<ReturnType<typeof chat>>) => insert(1, false),
    ({ insert }: Awaited<ReturnType<typeof chat>>) => insert(3, true),
    ({ remove }: Awaited<ReturnType<typeof chat>>) => remove(0)
  ]) {
    const one = await chat();
    act(one);
    expect(await one.asked()).toBe(1);
  }
});

it('it is not asked for a new message at the end', async () => {
  const { insert, asked } = await chat();
  insert(3, false);
  expect(await asked()).toBe(0);
});

it('it is not asked for a message that runs as it was written', async () => {
  const { change, schedule, answer, asked } = await chat();
  change(2, SOURCE);
  schedule(2);
  answer(2);
  expect(await asked()).toBe(0);
});

it.each([
  ['has changed since it was run', 2, SOURCE],
  ['stands below a cell that has changed', 0, SOURCE]
])('it is asked for an answer that %s', async (_, index, what) => {
  const { change, schedule, answer, asked } = await chat();
  change(2, SOURCE);
  schedule(2);
  change(index, what);
  answer(2);
  expect(await asked()).toBe(1);
});

it('it is asked for an answer that was edited and has not come', async () => {
  const { change, schedule, asked } = await chat();
  change(1, SOURCE);
  schedule(1);
  expect(await asked()).toBe(1);
});
