import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { ServerConnection, type Contents } from '@jupyterlab/services';
import type { ISignal } from '@lumino/signaling';

/** Least time from the end of a save to the next one while an answer grows, in milliseconds. */
export const SAVE_INTERVAL = 3000;

/**
 * Time from the beginning of a turn to its save, in milliseconds. Saving a long chat keeps the page
 * busy, and the first words come first. A short turn is saved once, at its end.
 */
export const BEGIN = 1000;

/**
 * Time from the end of a turn to its save, in milliseconds: what ends the cell arrives after the
 * answer. A page that did not run the cell waits longer, as the page that did saves first.
 */
export const SETTLE = 300;
export const SETTLE_ADOPTED = 1500;

/** As JupyterLab does for its own automatic saves: a file that is slow to save is saved less often. */
const COST = 10;

/** Time to the next try where the server cannot be reached, first and at most, in milliseconds. */
const RETRY = 2000;
const RETRY_MOST = 30_000;

/** Milliseconds by which a file may seem newer than it is; JupyterLab's own value. */
const MARGIN = 500;

/** The part of a document's context that is needed to save it. */
export interface ISavedContext {
  readonly path: string;
  readonly isDisposed: boolean;
  /** Whether this page can save: false for a read-only file, and for one that the server saves. */
  readonly canSave?: boolean;
  readonly contentsModel: Omit<Contents.IModel, 'content'> | null;
  readonly saveState: ISignal<unknown, DocumentRegistry.SaveState>;
  save(): Promise<void>;
}

/**
 * Saves a notebook when a turn has begun, now and then while it grows, and when it ends.
 *
 * It asks nothing and shows no error: where the file has changed on disk, or cannot be reached, it
 * does not save, and JupyterLab asks when the person saves. Then the turn counts as unsaved, and
 * the kernel keeps it.
 */
export class TurnSaver {
  constructor(
    private readonly _context: ISavedContext,
    private readonly _contents: Pick<Contents.IManager, 'get'>,
    /** Returns whether the person wants this. */
    private readonly _isOn: () => boolean
  ) {
    saving(this._context);
    this._context.saveState.connect(this._onState, this);
  }

  /** A turn begins; `adopted` says that this page does not run it. */
  begin(adopted: boolean): void {
    this._saveIn(adopted ? SETTLE_ADOPTED : BEGIN);
  }

  /** A running turn has grown in the outputs. */
  grow(): void {
    if (this._isSaving) {
      this._hasGrown = true;
      return;
    }
    const interval = Math.max(SAVE_INTERVAL, COST * this._lasted);
    this._saveIn(Math.max(0, this._savedAt + interval - Date.now()));
  }

  /**
   * A turn has ended in the outputs. The promise resolves when it is in the file, whoever saves it;
   * undefined where this page does not save by itself.
   */
  end(adopted: boolean): Promise<void> | undefined {
    if (!this._saves) {
      return undefined;
    }
    this._saveIn(adopted ? SETTLE_ADOPTED : SETTLE);
    return new Promise(resolve => this._unsaved.push(resolve));
  }

  dispose(): void {
    window.clearTimeout(this._timer);
    this._context.saveState.disconnect(this._onState, this);
  }

  private get _saves(): boolean {
    return this._isOn() && this._context.canSave !== false;
  }

  /** Save after a time, unless a save is due before. */
  private _saveIn(delay: number): void {
    const due = Date.now() + delay;
    if (!this._saves || (this._timer !== undefined && this._due <= due)) {
      return;
    }
    window.clearTimeout(this._timer);
    this._due = due;
    this._timer = window.setTimeout(() => {
      this._timer = undefined;
      void saving(this._context).add(save => this._save(save));
    }, delay);
  }

  private async _save(save: () => Promise<void>): Promise<void> {
    const started = Date.now();
    this._isSaving = true;
    this._hasGrown = false;
    const found = await this._look();
    if (found === 'same') {
      await save().catch((reason: unknown) => {
        // JupyterLab has told the person.
        console.warn('A turn was not saved.', reason);
      });
    }
    this._savedAt = Date.now();
    this._lasted = this._savedAt - started;
    this._isSaving = false;
    if (this._hasGrown) {
      this.grow();
    }
    this._failures = found === 'unreachable' ? this._failures + 1 : 0;
    if (this._failures > 0) {
      this._saveIn(Math.min(RETRY_MOST, RETRY * 2 ** (this._failures - 1)));
    }
  }

  /** Return whether the file is as this page knows it: else JupyterLab would ask instead of saving. */
  private async _look(): Promise<'same' | 'other' | 'unreachable'> {
    const { contentsModel: ours, isDisposed, path } = this._context;
    if (isDisposed || ours === null || !this._saves) {
      return 'other';
    }
    try {
      const there = await this._contents.get(path, {
        content: false,
        hash: true
      });
      return !this._context.isDisposed && isSameVersion(ours, there)
        ? 'same'
        : 'other';
    } catch (reason) {
      // The server has answered that there is no such file, or not at all.
      return reason instanceof ServerConnection.ResponseError
        ? 'other'
        : 'unreachable';
    }
  }

  private _onState(_: unknown, state: DocumentRegistry.SaveState): void {
    if (state.startsWith('started')) {
      this._inThisSave = this._unsaved.length;
    } else if (state.startsWith('completed')) {
      this._unsaved.splice(0, this._inThisSave).forEach(resolve => resolve());
      this._inThisSave = 0;
    }
  }

  private _timer: number | undefined;
  /** When the timer ends, in milliseconds since the epoch. */
  private _due = 0;
  /** How often in succession the server was not reached. */
  private _failures = 0;
  private _isSaving = false;
  /** Whether a turn has grown since a save began. */
  private _hasGrown = false;
  private _savedAt = 0;
  /** Milliseconds that the last save took. */
  private _lasted = 0;
  /** Resolve the promises of turns that have ended and are not in the file. */
  private readonly _unsaved: (() => void)[] = [];
  /** How many of them stand in the content that is being saved. */
  private _inThisSave = 0;
}

/** Return whether a file is the version that a page has, as JupyterLab compares them. */
function isSameVersion(
  ours: Omit<Contents.IModel, 'content'>,
  there: Contents.IModel
): boolean {
  if (ours.hash && there.hash) {
    return ours.hash === there.hash;
  }
  const later =
    Date.parse(there.last_modified) - Date.parse(ours.last_modified);
  return !(later > MARGIN);
}

/** The saves of one document, which wait for each other. */
class Saving {
  constructor(context: ISavedContext) {
    const save = context.save.bind(context);
    this._save = save;
    context.save = () => this.add(save);
    tellNoOneWhoHasLeft(context);
  }

  /** Do something when the saves before it have ended; nothing else is saved meanwhile. */
  add<T>(job: (save: () => Promise<void>) => Promise<T>): Promise<T> {
    const next = this._last.catch(() => undefined).then(() => job(this._save));
    this._last = next;
    return next;
  }

  private readonly _save: () => Promise<void>;
  private _last: Promise<unknown> = Promise.resolve();
}

/**
 * Let JupyterLab show no error of a document that was closed without saving, or deleted.
 *
 * It stops a save that was on its way then, and would say "File Save Error: Disposed" in a dialog
 * over whatever is open by now. JupyterLab has no public place for this.
 */
function tellNoOneWhoHasLeft(context: ISavedContext): void {
  const shows = context as unknown as {
    _handleError?: (reason: Error, title: string) => Promise<void>;
  };
  const show = shows._handleError?.bind(context);
  if (show) {
    shows._handleError = async (reason, title) => {
      if (context.isDisposed) {
        console.warn(title, reason);
      } else {
        await show(reason, title);
      }
    };
  }
}

const all = new WeakMap<ISavedContext, Saving>();

/**
 * Let the saves of a document wait for each other from now on.
 *
 * A save that begins while JupyterLab does another finds a file that "has changed on disk", and
 * JupyterLab asks the person which version to keep.
 */
export function saving(context: ISavedContext): Saving {
  let found = all.get(context);
  if (found === undefined) {
    found = new Saving(context);
    all.set(context, found);
  }
  return found;
}
