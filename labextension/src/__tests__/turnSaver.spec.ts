import { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import {
  BEGIN,
  SAVE_INTERVAL,
  SETTLE,
  TurnSaver,
  type ISavedContext
} from '../live/turnSaver';

interface IFile {
  hash?: string;
  last_modified: string;
}

/** A document, its file, and JupyterLab's dialogs, which are what must never open. */
class FakeDocument {
  readonly file: IFile = { hash: '0', last_modified: '2026-11-20T10:00:00Z' };
  readonly saved: number[] = [];
  readonly states = new Signal<object, string>({});
  dialogs = 0;
  isReachable = true;
  isThere = true;
  isOn = true;
  takes = 0;
  content = 0;
  readonly context = {
    path: 'chat.msg.md',
    isDisposed: false,
    canSave: true,
    contentsModel: { ...this.file },
    saveState: this.states,
    save: () => this._save(),
    _handleError: () => {
      this.dialogs += 1;
      return Promise.resolve();
    }
  };
  readonly saver = new TurnSaver(
    this.context as unknown as ISavedContext,
    { get: () => this.look() } as unknown as ConstructorParameters<
      typeof TurnSaver
    >[1],
    () => this.isOn
  );

  look(): Promise<IFile> {
    if (!this.isReachable) {
      return Promise.reject(
        new ServerConnection.NetworkError(new TypeError('no server'))
      );
    }
    return this.isThere
      ? Promise.resolve({ ...this.file })
      : Promise.reject(
          new ServerConnection.ResponseError(
            { status: 404 } as unknown as Response,
            'no file'
          )
        );
  }

  private async _save(): Promise<void> {
    this.states.emit('started');
    const content = this.content;
    if (
      !this.isReachable ||
      !this.isThere ||
      this.file.hash !== this.context.contentsModel.hash
    ) {
      void this.context._handleError();
      this.states.emit('failed');
      throw new Error('asked');
    }
    await new Promise(done => setTimeout(done, this.takes));
    if (this.context.isDisposed) {
      void this.context._handleError();
      throw new Error('Disposed');
    }
    this.file.hash = String(Number(this.file.hash) + 1);
    this.context.contentsModel = { ...this.file };
    this.saved.push(content);
    this.states.emit('completed');
  }
}

const pass = (time: number): Promise<void> =>
  jest.advanceTimersByTimeAsync(time);

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('a turn', () => {
  it('is saved when it begins, now and then while it grows, and when it ends', async () => {
    const one = new FakeDocument();
    one.saver.begin(false);
    await pass(BEGIN + 10);
    expect(one.saved).toEqual([0]);

    for (let second = 1; second <= 9; second += 1) {
      await pass(1000);
      one.content = second;
      one.saver.grow();
    }
    expect(one.saved.length).toBeGreaterThan(2);
    expect(one.saved.length).toBeLessThanOrEqual(
      1 + Math.ceil(9000 / SAVE_INTERVAL)
    );

    one.content = 10;
    let isSafe = false;
    void one.saver.end(false)!.then(() => (isSafe = true));
    expect(isSafe).toBe(false);
    await pass(SETTLE + 10);
    expect(one.saved.at(-1)).toBe(10);
    expect(isSafe).toBe(true);
    await pass(60_000);
    expect(one.saved.at(-1)).toBe(10);
    expect(one.dialogs).toBe(0);
  });

  it('is saved once if it is short: nothing is saved before its first words', async () => {
    const one = new FakeDocument();
    one.saver.begin(false);
    await pass(BEGIN / 2);
    expect(one.saved).toEqual([]);
    one.content = 1;
    void one.saver.end(false);
    await pass(60_000);
    expect(one.saved).toEqual([1]);
  });

  it('is saved less often where that takes long, and never twice at a time', async () => {
    const one = new FakeDocument();
    one.takes = 2000;
    one.saver.begin(false);
    for (let second = 0; second < 60; second += 1) {
      await pass(1000);
      one.saver.grow();
    }
    expect(one.saved.length).toBeLessThanOrEqual(4);
    expect(one.dialogs).toBe(0);
  });

  it('waits for a save of the person, and lets it wait', async () => {
    const one = new FakeDocument();
    one.takes = BEGIN + 500;
    const own = one.context.save();
    one.saver.begin(false);
    await pass(BEGIN + 100);
    const again = one.context.save();
    await pass(10_000);
    await Promise.all([own, again]);
    expect(one.saved.length).toBe(3);
    expect(one.dialogs).toBe(0);
  });

  it('is safe when the person has saved it', async () => {
    const one = new FakeDocument();
    let isSafe = false;
    one.file.hash = '9';
    void one.saver.end(false)!.then(() => (isSafe = true));
    await pass(60_000);
    expect([one.saved, isSafe, one.dialogs]).toEqual([[], false, 0]);

    one.context.contentsModel = { ...one.file };
    void one.context.save();
    await pass(10);
    expect(isSafe).toBe(true);
  });

  it('is not safe by a save that began before it ended', async () => {
    const one = new FakeDocument();
    one.takes = 1000;
    void one.context.save();
    await pass(10);
    let isSafe = false;
    void one.saver.end(false)!.then(() => (isSafe = true));
    await pass(995);
    expect([one.saved.length, isSafe]).toEqual([1, false]);
    await pass(2000);
    expect([one.saved.length, isSafe]).toEqual([2, true]);
  });
});

describe('nothing is asked, and nothing is saved', () => {
  it.each<[string, (one: FakeDocument) => void]>([
    ['that has changed on disk', one => (one.file.hash = '9')],
    [
      'of a server without hashes that has changed on disk',
      one => {
        one.file.hash = undefined;
        one.file.last_modified = '2026-11-20T10:00:09Z';
      }
    ],
    ['that is gone', one => (one.isThere = false)],
    ['that is read-only', one => (one.context.canSave = false)],
    ['where the person has switched it off', one => (one.isOn = false)]
  ])('in a file %s', async (_, change) => {
    const one = new FakeDocument();
    change(one);
    one.saver.begin(false);
    await pass(5000);
    one.saver.grow();
    await pass(5000);
    void one.saver.end(false);
    await pass(60_000);
    expect([one.saved, one.dialogs]).toEqual([[], 0]);
  });

  it('while the server is away, and all of it as soon as it is back', async () => {
    const one = new FakeDocument();
    one.isReachable = false;
    one.saver.begin(false);
    one.content = 7;
    let isSafe = false;
    void one.saver.end(false)!.then(() => (isSafe = true));
    await pass(300_000);
    expect([one.saved, one.dialogs]).toEqual([[], 0]);

    one.isReachable = true;
    await pass(60_000);
    expect([one.saved, isSafe]).toEqual([[7], true]);
  });

  it('in a file that was closed while it was being saved', async () => {
    const one = new FakeDocument();
    one.takes = 1000;
    one.saver.begin(false);
    await pass(BEGIN + 500);
    one.context.isDisposed = true;
    one.saver.dispose();
    await pass(60_000);
    expect([one.saved, one.dialogs]).toEqual([[], 0]);
  });

  it('after the page was closed', async () => {
    const one = new FakeDocument();
    one.saver.begin(false);
    one.saver.dispose();
    await pass(60_000);
    expect(one.saved).toEqual([]);
  });
});

it('A save of the person that fails is told by JupyterLab while the document is open', async () => {
  const one = new FakeDocument();
  one.isReachable = false;
  await expect(one.context.save()).rejects.toThrow('asked');
  expect(one.dialogs).toBe(1);
});

it('A page that saves nothing by itself does not make the kernel keep a turn', () => {
  const one = new FakeDocument();
  one.context.canSave = false;
  expect(one.saver.end(false)).toBeUndefined();
});
