import type * as nbformat from '@jupyterlab/nbformat';
import type { Contents } from '@jupyterlab/services';

import {
  LOOK_INTERVAL,
  SubagentWatch,
  type IWatchedContext
} from '../live/subagentWatch';

const PATH = 'my/.msgbook/subagents/chat-1.msg.md';

function notebook(text: string): nbformat.INotebookContent {
  const cell = { cell_type: 'raw', source: text, metadata: {} };
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] };
}

function fixture(path = PATH, writable = false) {
  const file = { path, writable, last_modified: '1', content: notebook('one') };
  const log: string[] = [];
  const model = { dirty: false };
  const context = {
    path,
    model,
    isDisposed: false,
    ready: Promise.resolve(),
    contentsModel: { ...file },
    revert: () => Promise.resolve(void log.push('revert')),
    save: () => Promise.resolve(void log.push('save'))
  } as unknown as IWatchedContext;
  const contents = {
    get: jest.fn((_: string, { content = false } = {}) =>
      Promise.resolve({ ...file, content: content ? file.content : null })
    )
  } as unknown as Pick<Contents.IManager, 'get'>;
  const watch = new SubagentWatch(
    context,
    contents,
    saved => {
      log.push(saved.cells[0].source as string);
      model.dirty = true;
    },
    () => log.push('draw'),
    () => log.push('free')
  );
  return { file, log, model, contents, watch };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const next = () => jest.advanceTimersByTimeAsync(LOOK_INTERVAL);

describe('the conversation of a running sub-agent', () => {
  it('is shown as it is saved, and read again when the sub-agent has ended', async () => {
    const { file, log, model, watch } = fixture();
    await next();
    expect(watch.isRunning).toBe(true);
    expect(log).toEqual(['draw', 'one']);
    await next();
    Object.assign(file, { last_modified: '2', content: notebook('two') });
    await next();
    expect(log.splice(0)).toEqual(['draw', 'one', 'two']);
    expect(model.dirty).toBe(false);

    Object.assign(file, { writable: true });
    await next();
    Object.assign(file, { writable: false });
    await next();
    expect(log).toEqual([]);

    Object.assign(file, { writable: true, content: notebook('three') });
    await next();
    expect(watch.isRunning).toBe(true);
    await next();
    expect(watch.isRunning).toBe(false);
    expect(log).toEqual(['three', 'draw', 'revert', 'free']);
    await next();
    expect(log).toHaveLength(4);
  });

  it('is looked at again only when the server has answered', async () => {
    const { contents, log, watch } = fixture();
    const answer = jest.mocked(contents.get).getMockImplementation()!;
    let arrive = (): void => undefined;
    jest.mocked(contents.get).mockImplementationOnce(async (...asked) => {
      await new Promise<void>(resolve => (arrive = resolve));
      return answer(...asked);
    });
    await next();
    await next();
    expect(contents.get).toHaveBeenCalledTimes(1);
    arrive();
    await next();
    expect(watch.isRunning).toBe(true);
    expect(log).toEqual(['draw', 'one']);
  });

  it('is not read again over what a person wrote: JupyterLab asks', async () => {
    const { file, log, model } = fixture();
    await next();
    model.dirty = true;
    file.writable = true;
    await next();
    await next();
    expect(log.slice(-2)).toEqual(['save', 'free']);
    expect(model.dirty).toBe(true);
  });

  it('is looked at again when the server could not be reached', async () => {
    const { contents, log, watch } = fixture();
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    (contents.get as jest.Mock).mockRejectedValueOnce(new Error('offline'));
    await next();
    expect(log).toEqual(['draw']);
    await next();
    expect(log).toEqual(['draw', 'one']);
    expect(warn).toHaveBeenCalledTimes(1);
    watch.dispose();
    await next();
    expect(log).toEqual(['draw', 'one']);
  });

  it('is not looked at again when it was deleted', async () => {
    const { contents, log, watch } = fixture();
    const gone = Object.assign(new Error(), { response: { status: 404 } });
    (contents.get as jest.Mock).mockRejectedValue(gone);
    await next();
    await next();
    expect(log).toEqual(['draw', 'draw']);
    expect(watch.isRunning).toBe(false);
    expect(contents.get).toHaveBeenCalledTimes(1);
  });

  it.each([
    [PATH, true],
    ['my/chat.msg.md', false]
  ])('is not looked for at %s, writable: %p', async (path, writable) => {
    const { contents, watch } = fixture(path, writable);
    await next();
    expect(watch.isRunning).toBe(false);
    expect(contents.get).not.toHaveBeenCalled();
  });
});
