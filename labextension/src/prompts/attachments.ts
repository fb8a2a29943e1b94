import { Notification } from '@jupyterlab/apputils';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { findFile, pathBeside, relativeTo } from '../live/beside';
import { errorText } from '../live/errorText';
import { visible } from '../turn/text';
import { attachmentName, freeName, referenceTo } from './references';

/** The folder beside a notebook that takes what is pasted or dropped into its prompts. */
const FOLDER = 'attachments';

/** Bytes of a file that is sent to the server in one request. */
const MAX_BYTES = 50_000_000;

/** Characters of a name in a notification. */
const SHOWN = 60;

/** Makes files that a person pastes or drops into a prompt into references. */
export class Attachments {
  /** @param notebook - Returns the path of the notebook. */
  constructor(
    contents: Contents.IManager,
    notebook: () => string,
    trans: TranslationBundle
  ) {
    this._contents = contents;
    this._notebook = notebook;
    this._trans = trans;
  }

  /** Save files beside the notebook; return their references. Says which could not be saved. */
  async save(files: readonly File[]): Promise<string[]> {
    const references = [];
    for (const file of files) {
      try {
        references.push(referenceTo(await inTurn(() => this._save(file)))!);
      } catch (error) {
        this._tell(
          this._trans.__(
            '%1 is not attached: %2',
            shortName(file.name),
            errorText(error)
          )
        );
      }
    }
    return references;
  }

  /** Return the references to files of the server. Says which cannot be named. */
  async refer(paths: readonly string[]): Promise<string[]> {
    const references = [];
    for (const path of paths) {
      const reference = referenceTo(await this._pathFor(path));
      if (reference !== null) {
        references.push(reference);
      } else {
        this._tell(
          this._trans.__(
            'No reference can name %1: rename it without brackets, braces, colons and asterisks.',
            shortName(path)
          )
        );
      }
    }
    return references;
  }

  private async _save(file: File): Promise<string> {
    if (file.size > MAX_BYTES) {
      throw new Error(
        this._trans.__(
          'it has more than %1 MB. Copy it into the folder of the notebook and drag it from the file browser.',
          MAX_BYTES / 1_000_000
        )
      );
    }
    const folder = pathBeside(this._contents, this._notebook(), FOLDER);
    const found = await findFile(this._contents, folder);
    if (found !== null && found.type !== 'directory') {
      throw new Error(
        this._trans.__(
          'it would be saved in the folder %1, but that is a file. Rename the file.',
          FOLDER
        )
      );
    }
    if (found === null) {
      await this._contents.save(folder, { type: 'directory' });
    }
    const listed = await this._contents.get(folder);
    const taken = (listed.content as Contents.IModel[]).map(one => one.name);
    const name = freeName(attachmentName(file.name), new Set(taken));
    const path = `${FOLDER}/${name}`;
    await this._contents.save(
      pathBeside(this._contents, this._notebook(), path),
      { type: 'file', format: 'base64', content: await this._read(file) }
    );
    return path;
  }

  private async _pathFor(path: string): Promise<string> {
    const relative = relativeTo(this._contents, this._notebook(), path);
    const found = await findFile(this._contents, path).catch(() => null);
    return found?.type === 'directory' ? `${relative}/` : relative;
  }

  private async _read(file: File): Promise<string> {
    try {
      return await base64(file);
    } catch {
      throw new Error(
        this._trans.__(
          'it cannot be read. Drag a folder from the file browser: a reference to it is inserted.'
        )
      );
    }
  }

  private _tell(message: string): void {
    Notification.error(visible(message), { autoClose: false });
  }

  private readonly _contents: Contents.IManager;
  private readonly _notebook: () => string;
  private readonly _trans: TranslationBundle;
}

/** The last file that is being saved, in any notebook of the page. */
let last: Promise<unknown> = Promise.resolve();

/** Save a file after the others: at the same time, two of one name would get the same free name. */
function inTurn(save: () => Promise<string>): Promise<string> {
  const saved = last.then(save);
  last = saved.catch(() => undefined);
  return saved;
}

/** Return the beginning of a name: a notification must show what follows it, too. */
function shortName(name: string): string {
  const line = name.replace(/[\r\n\t]/g, ' ');
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN)}…`;
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () =>
      resolve((reader.result as string).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}
