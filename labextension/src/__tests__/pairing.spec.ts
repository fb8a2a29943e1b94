import { type Contents, ServerConnection } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { Files } from '../files/beside';
import {
  formatsOf,
  type IOpenNotebook,
  isPaired,
  jupytextOf,
  otherPath,
  pair,
  pairNotebook,
  unpair,
  unpairNotebook,
  withFormats
} from '../extras/pairing/plugin';

const IPYNB = 'notes/chat.ipynb';
const TEXT = 'notes/chat.msg.md';
const PAIR = 'ipynb,.msg.md:msg';

describe('otherPath', () => {
  it.each([
    [IPYNB, TEXT],
    [TEXT, IPYNB],
    ['RTC:chat.ipynb', 'RTC:chat.msg.md'],
    ['chat.md', null],
    ['chat.py', null]
  ])('of %s is %s', (path, other) => {
    expect(otherPath(path)).toBe(other);
  });
});

describe('pair', () => {
  it.each([
    ['', IPYNB, PAIR],
    ['', TEXT, PAIR],
    ['ipynb', IPYNB, PAIR],
    ['.msg.md', TEXT, PAIR],
    ['md', TEXT, PAIR],
    ['ipynb, py:percent', IPYNB, `${PAIR},py:percent`],
    ['ipynb,md', IPYNB, `${PAIR},md`],
    ['nb//ipynb,src//py', IPYNB, 'nb//ipynb,nb//.msg.md:msg,src//py']
  ])('of %j at %s keeps what else is named', (formats, path, expected) => {
    expect(pair(formats, path)).toBe(expected);
    expect(isPaired(expected, path)).toBe(true);
    expect(pair(expected, path)).toBe(expected);
  });
});

describe('unpair', () => {
  it.each([
    [PAIR, IPYNB, ''],
    [PAIR, TEXT, ''],
    ['ipynb,md', TEXT, ''],
    [`${PAIR},py:percent`, IPYNB, 'ipynb,py:percent'],
    ['nb//ipynb,nb//.msg.md:msg,src//py', IPYNB, 'nb//ipynb,src//py']
  ])('of %j at %s leaves what else is named', (formats, path, expected) => {
    expect(unpair(formats, path)).toBe(expected);
    expect(isPaired(expected, path)).toBe(false);
  });
});

describe('isPaired', () => {
  it.each([
    ['', IPYNB],
    ['ipynb', IPYNB],
    ['.msg.md:msg', IPYNB],
    ['ipynb,md:msg', IPYNB],
    ['ipynb,py:percent', TEXT]
  ])('is false for %j at %s', (formats, path) => {
    expect(isPaired(formats, path)).toBe(false);
  });

  it.each([PAIR, 'ipynb,md', 'ipynb,.msg.auto:msg'])(
    'knows how %j is said of an open message file',
    formats => {
      expect(isPaired(formats, TEXT)).toBe(true);
    }
  );
});

describe('withFormats', () => {
  it('changes the formats alone, in a copy', () => {
    const jupytext = { formats: 'ipynb', cell_metadata_filter: 'all' };
    expect(withFormats(jupytext, PAIR)).toEqual({ ...jupytext, formats: PAIR });
    expect(withFormats(jupytext, '')).toEqual({ cell_metadata_filter: 'all' });
    expect(jupytext.formats).toBe('ipynb');
  });

  it('leaves no empty object', () => {
    expect(withFormats({ formats: PAIR }, '')).toBeUndefined();
  });

  it.each([undefined, null, 3, 'ipynb', ['ipynb'], { formats: 3 }])(
    'makes a good value of %j',
    odd => {
      expect(formatsOf(odd)).toBe('');
      expect(withFormats(odd, PAIR)).toEqual({ formats: PAIR });
    }
  );
});

describe('a pair of files', () => {
  it('is made by saving, and the notebook says so', async () => {
    const { notebook, files, saved } = desk({ writesPairs: true });

    expect(await pairNotebook(notebook, files)).toBe('paired');

    expect(saved).toEqual([{ formats: PAIR }]);
    expect(jupytextOf(notebook)).toEqual({ formats: PAIR });
  });

  it('is not claimed when the server wrote one file only', async () => {
    const { notebook, files, saved } = desk({ writesPairs: false });

    expect(await pairNotebook(notebook, files)).toBe('missing');

    expect(saved).toEqual([{ formats: PAIR }, undefined]);
    expect(jupytextOf(notebook)).toBeUndefined();
  });

  it('is not claimed when saving fails', async () => {
    const { notebook, files } = desk({ before: { formats: 'ipynb,py' } });
    const broken = { ...notebook, save: () => Promise.reject(new Error()) };

    expect(await pairNotebook(broken, files)).toBe('unsaved');

    expect(jupytextOf(notebook)).toEqual({ formats: 'ipynb,py' });
  });

  it('is forgotten by both files, which stay', async () => {
    const { notebook, files, folder } = desk({ before: { formats: PAIR } });
    folder.set(TEXT, { jupytext: { formats: PAIR }, other: 'kept' });

    expect(await unpairNotebook(notebook, files)).toBe(true);

    expect(jupytextOf(notebook)).toBeUndefined();
    expect(folder.get(TEXT)).toEqual({ other: 'kept' });
  });

  it('is taken apart without the other file, too', async () => {
    const { notebook, files, folder } = desk({ before: { formats: PAIR } });

    expect(await unpairNotebook(notebook, files)).toBe(true);

    expect(folder.has(TEXT)).toBe(false);
  });

  it('stays a pair when saving fails', async () => {
    const { notebook, files, folder } = desk({ before: { formats: PAIR } });
    folder.set(TEXT, { jupytext: { formats: PAIR } });
    const broken = { ...notebook, save: () => Promise.reject(new Error()) };

    expect(await unpairNotebook(broken, files)).toBe(false);

    expect(jupytextOf(notebook)).toEqual({ formats: PAIR });
    expect(folder.get(TEXT)).toEqual({ jupytext: { formats: PAIR } });
  });

  it('does not hide that the server is out of order', async () => {
    const { notebook, files } = desk({ writesPairs: true });
    const broken: Files = { ...files, get: () => Promise.reject(status(500)) };

    await expect(pairNotebook(notebook, broken)).rejects.toThrow();
  });
});

/** An open `.ipynb`, and a folder of notebooks' metadata as the server holds it. */
function desk(options: { before?: JSONObject; writesPairs?: boolean }) {
  const metadata = new Map<string, unknown>();
  const model: IOpenNotebook['model'] = {
    getMetadata: (key?: string) => metadata.get(key!),
    setMetadata: (key: string, value: unknown) => void metadata.set(key, value),
    deleteMetadata: key => void metadata.delete(key)
  };
  if (options.before) {
    model.setMetadata('jupytext', options.before);
  }
  const folder = new Map<string, JSONObject>();
  const saved: unknown[] = [];
  const notebook: IOpenNotebook = {
    path: IPYNB,
    model,
    save: () => {
      saved.push(model.getMetadata('jupytext'));
      if (options.writesPairs) {
        folder.set(TEXT, {});
      }
      return Promise.resolve();
    }
  };
  const files = {
    get: (path: string) =>
      folder.has(path)
        ? Promise.resolve({ content: { metadata: folder.get(path) } })
        : Promise.reject(status(404)),
    save: (path: string, { content }: { content: { metadata: JSONObject } }) =>
      Promise.resolve(folder.set(path, content.metadata))
  } as unknown as Pick<Contents.IManager, 'get' | 'save'>;
  return { notebook, files, folder, saved };
}

function status(code: number): ServerConnection.ResponseError {
  return new ServerConnection.ResponseError(
    new Response(null, { status: code })
  );
}
