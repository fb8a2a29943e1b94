import { Notification } from '@jupyterlab/apputils';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { findFile, pathBeside, relativeTo } from '../files/beside';
import { errorText, shortened, visible } from '../turn/text';
import { type Extension, Prec } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { Drag } from '@lumino/dragdrop';
import { holdsPrompt } from './promptLook';
import { PathExt } from '@jupyterlab/coreutils';

/** The folder beside a notebook that takes what is pasted or dropped into its prompts. */
const FOLDER = 'attachments';

/** Bytes of a file that is sent to the server in one request. */
const MAX_BYTES = 50_000_000;

/** Characters of a name in a notification. */
const SHOWN = 60;

/** Makes files that a person pastes or drops into a prompt into references. */
export class Attachments {
  constructor(
    private readonly _contents: Contents.IManager,
    /** Returns the path of the notebook. */
    private readonly _notebook: () => string,
    private readonly _trans: TranslationBundle
  ) {}

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
  return shortened(line, SHOWN);
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

/** What JupyterLab's file browser gives: a list of paths. */
const PATHS = 'application/x-jupyter-icontents';
const DRAGS = ['lm-dragenter', 'lm-dragover', 'lm-drop'];

/**
 * Let files be pasted and dropped into a prompt, also from the file browser; a reference to each is
 * inserted.
 *
 * @param isOn - Returns whether the notebook is a chat.
 */
export function attachFiles(
  attachments: Attachments,
  isOn: () => boolean
): Extension {
  const plugin = ViewPlugin.define(
    view => new FileTarget(view, attachments, isOn)
  );
  const take = (data: DataTransfer | null, view: EditorView, at: number) => {
    const files = Array.from(data?.files ?? []);
    // Office programs put a picture of a text beside the text.
    if (files.length === 0 || data?.types.includes('text/plain') === true) {
      return false;
    }
    return view.plugin(plugin)?.attach(files, at) ?? false;
  };
  return [
    plugin,
    Prec.highest(
      EditorView.domEventHandlers({
        paste: (event, view) =>
          take(event.clipboardData, view, view.state.selection.main.from),
        drop: (event, view) =>
          take(event.dataTransfer, view, placeOf(view, event))
      })
    )
  ];
}

function placeOf(
  view: EditorView,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number }
): number {
  return view.posAtCoords({ x: clientX, y: clientY }, false);
}

/** Takes files for the prompt of an editor, and knows where they go when the text has changed meanwhile. */
class FileTarget {
  constructor(
    private readonly _view: EditorView,
    private readonly _attachments: Attachments,
    private readonly _isOn: () => boolean
  ) {
    DRAGS.forEach(type => this._view.dom.addEventListener(type, this));
  }

  destroy(): void {
    this._isDestroyed = true;
    DRAGS.forEach(type => this._view.dom.removeEventListener(type, this));
  }

  update({ docChanged, changes }: ViewUpdate): void {
    if (docChanged) {
      this._places.forEach(place => (place.at = changes.mapPos(place.at, 1)));
    }
  }

  /** Attach files at a place of the prompt; return false where none can be. */
  attach(files: readonly File[], at: number): boolean {
    if (!this._takesFiles()) {
      return false;
    }
    void this._insert(at, this._attachments.save(files));
    return true;
  }

  handleEvent(event: Event): void {
    const drag = event as Drag.Event;
    if (!drag.mimeData.hasData(PATHS) || !this._takesFiles()) {
      return;
    }
    drag.preventDefault();
    drag.stopPropagation();
    if (drag.type === 'lm-dragenter') {
      return;
    }
    drag.dropAction = drag.proposedAction;
    if (drag.type === 'lm-drop' && drag.proposedAction !== 'none') {
      const paths = drag.mimeData.getData(PATHS) as string[];
      const at = placeOf(this._view, drag);
      void this._insert(at, this._attachments.refer(paths));
    }
  }

  private _takesFiles(): boolean {
    const { state } = this._view;
    return this._isOn() && !state.readOnly && holdsPrompt(state);
  }

  private async _insert(
    at: number,
    coming: Promise<readonly string[]>
  ): Promise<void> {
    const place = { at };
    this._places.add(place);
    const references = await coming;
    this._places.delete(place);
    if (this._isDestroyed || references.length === 0) {
      return;
    }
    const { doc } = this._view.state;
    const before = doc.sliceString(place.at - 1, place.at);
    const gap = /^\S$/.test(before) ? ' ' : '';
    const insert = `${gap}${references.join(' ')}`;
    this._view.dispatch({
      changes: { from: place.at, insert },
      selection: { anchor: place.at + insert.length },
      scrollIntoView: true,
      userEvent: 'input.drop'
    });
    this._view.focus();
  }

  private readonly _places = new Set<{ at: number }>();
  private _isDestroyed = false;
}

/** Bytes of the name of an attachment; file systems take 255, and a number may be added. */
const MAX_NAME = 200;
/** Characters of the ending of a name, which is kept when a name is cut. */
const MAX_ENDING = 20;

// Pictures that a model can be sent; others are files.
const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp)$/i;
/** Characters that end a reference or mean something else in it. */
const SPECIAL = /[[\]{}:*?]/;
/** Characters that end a line, cannot be seen, change the direction, or are half a character. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;

/** Return whether a path is that of an image. */
function isImage(path: string): boolean {
  return IMAGE.test(path);
}

/** Ids as Jupyter makes them; a file can hold others. */
const CELL_ID = /^[\w-]{1,64}$/;

/** Return the reference to a cell of the chat; null if none can name it. */
export function referenceToCell(id: string): string | null {
  return CELL_ID.test(id) ? `@[cell:${id}]` : null;
}

/**
 * Return the reference to a cell of another notebook; null if none can name it.
 *
 * @param name - Its id, or `#` and its number from 1.
 */
export function referenceToCellOf(path: string, name: string): string | null {
  const whole = referenceTo(path);
  const canBeNamed = CELL_ID.test(name) || /^#\d+$/.test(name);
  return whole?.endsWith('.ipynb]') === true && canBeNamed
    ? `${whole.slice(0, -1)}:cell:${name}]`
    : null;
}

/**
 * Return what stands for a file in a prompt; null if no reference can name it.
 *
 * An image is written as an image, since a reference would send only its type and size.
 *
 * @param path - From the folder of the notebook; that of a folder ends with a slash.
 */
export function referenceTo(path: string): string | null {
  if (UNSEEN.test(path)) {
    return null;
  }
  if (!isImage(path)) {
    return SPECIAL.test(path) ? null : `@[${path}]`;
  }
  // Of a name such as `@{define x, y}` no part counts in the prompt.
  const alt = PathExt.basename(path).replace(
    /[^\p{L}\p{M}\p{N} .,_/+()%-]/gu,
    ''
  );
  const target = /^[\p{L}\p{M}\p{N}._/+-]*$/u.test(path)
    ? path
    : path.split('/').map(encodeName).join('/');
  return `![${alt}](${target})`;
}

function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /[!'()*~]/g,
    one => `%${one.charCodeAt(0).toString(16)}`
  );
}

/** Return a name for a file that was pasted or dropped, which a reference can name. */
export function attachmentName(name: string): string {
  const safe = Array.from(
    PathExt.basename(name)
      // eslint-disable-next-line no-control-regex
      .replace(/[[\]{}:*?()<>|"'\\/\u0000-\u001f\u007f]/g, '-')
      .replace(/\s+/g, '-')
      .replace(/^\.+/, ''),
    one => (visible(one) === one ? one : '-')
  ).join('');
  if (safe === '') {
    return 'file';
  }
  const ending = PathExt.extname(safe);
  const isLong = ending.length > MAX_ENDING;
  const stem = isLong ? safe : safe.slice(0, safe.length - ending.length);
  const end = isLong ? '' : ending;
  return `${firstBytes(stem, MAX_NAME - sizeOf(end))}${end}`;
}

/** Return the beginning of a text, up to a size. */
function firstBytes(text: string, size: number): string {
  let left = size;
  let end = 0;
  for (const one of text) {
    left -= sizeOf(one);
    if (left < 0) {
      break;
    }
    end += one.length;
  }
  return text.slice(0, end);
}

/** Return the bytes of a text in UTF-8. */
function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Return a name that no other file has: `image.png`, `image-2.png`, ... */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const ending = PathExt.extname(name);
  const stem = name.slice(0, name.length - ending.length);
  let free = name;
  for (let number = 2; taken.has(free); number += 1) {
    free = `${stem}-${number}${ending}`;
  }
  return free;
}
