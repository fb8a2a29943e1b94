import { Notification } from '@jupyterlab/apputils';
import { ServerConnection, type Contents } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';

import { Attachments } from '../prompts/attachments';

const trans = nullTranslator.load('msgbook');
const HOSTILE = `\u202egnp.txt\n${'<img src=x>'.repeat(500)}`;

/** Return attachments beside `chat.ipynb`, and the paths that were saved. */
function fixture(folder: 'directory' | 'file' | null) {
  const saved: string[] = [];
  const contents = {
    driveName: () => '',
    localPath: (path: string) => path,
    get: (path: string) =>
      folder === null || path !== 'attachments'
        ? Promise.reject(
            new ServerConnection.ResponseError(
              new Response('', { status: 404 })
            )
          )
        : Promise.resolve({
            type: folder,
            content: saved.map(one => ({ name: one.split('/').pop() }))
          }),
    save: (path: string) => Promise.resolve(saved.push(path))
  };
  const attachments = new Attachments(
    contents as unknown as Contents.IManager,
    () => 'chat.ipynb',
    trans
  );
  return { attachments, saved };
}

/** Reads any file: jsdom's own reader refuses the files of Node.js. */
class Reader {
  onload: (() => void) | null = null;
  readonly result = 'data:;base64,eA==';

  readAsDataURL(): void {
    queueMicrotask(() => this.onload?.());
  }
}

window.FileReader = Reader as unknown as typeof FileReader;

/** Return a file of any size without its bytes. */
function fileOf(name: string, size: number): File {
  const file = new File(['x'], 'x');
  Object.defineProperty(file, 'name', { value: name });
  Object.defineProperty(file, 'size', { value: size });
  return file;
}

const told = () => Notification.manager.notifications.map(one => one.message);

afterEach(() => Notification.dismiss());

it('says that a file is too large, whatever its name is', async () => {
  const { attachments, saved } = fixture('directory');
  expect(await attachments.save([fileOf(HOSTILE, 100_000_000)])).toEqual([]);
  expect(saved).toEqual([]);
  expect(told()[0]).toMatch(/^\\u202egnp\.txt <img.*… is not attached: it has/);
  expect(told()[0]).toContain('more than 50 MB');
  expect(told()[0].indexOf('50 MB')).toBeLessThan(140);
});

it('saves nothing where the folder of attachments is a file', async () => {
  const { attachments, saved } = fixture('file');
  expect(await attachments.save([fileOf('a.txt', 1)])).toEqual([]);
  expect(saved).toEqual([]);
  expect(told()[0]).toContain('a.txt is not attached: it would be saved in');
});

it('says which path no reference can name, with its invisible characters', async () => {
  const { attachments } = fixture(null);
  expect(await attachments.refer([HOSTILE])).toEqual([]);
  expect(told()[0]).toMatch(/^No reference can name \\u202egnp\.txt <img/);
});

it('gives files of one name that are pasted at the same time names of their own', async () => {
  const { attachments, saved } = fixture('directory');
  const pasted = () => attachments.save([fileOf('image.png', 1)]);
  const references = await Promise.all([pasted(), pasted(), pasted()]);
  expect(told()).toEqual([]);
  expect(new Set(references.flat()).size).toBe(3);
  expect(saved).toEqual([
    'attachments/image.png',
    'attachments/image-2.png',
    'attachments/image-3.png'
  ]);
});

it('saves the next file also if one could not be saved', async () => {
  const { attachments, saved } = fixture('directory');
  await Promise.all([
    attachments.save([fileOf('a.txt', 100_000_000)]),
    attachments.save([fileOf('b.txt', 1)])
  ]);
  expect(saved).toEqual(['attachments/b.txt']);
});
