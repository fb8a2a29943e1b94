import type {
  ISessionContext,
  SessionContextDialogs
} from '@jupyterlab/apputils';
import type { NotebookPanel, StaticNotebook } from '@jupyterlab/notebook';
import { type BareCell, bareCellOf, KERNEL_NAME } from '../comm/ourKernels';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Contents } from '@jupyterlab/services';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import type { JSONObject } from '@lumino/coreutils';
import { asText, isObject } from '../turn/reading';
import { type ISignal, Signal } from '@lumino/signaling';

/** The part of a session context that tells whether a notebook is a chat. */
export type ChatSession = Pick<ISessionContext, 'session' | 'kernelPreference'>;

/** Return what a bare cell of a notebook is; null if the notebook is no chat. */
export function bareCellIn({
  session,
  kernelPreference
}: ChatSession): BareCell | null {
  return bareCellOf(session?.kernel?.name ?? kernelPreference.name);
}

/** Return whether a notebook is a chat: one of our kernels, also while none runs. */
export function isChatNotebook(session: ChatSession): boolean {
  return bareCellIn(session) !== null;
}

/** Call `changed` whenever a notebook may have become a chat or none, until it is closed. */
export function onKernelChoice(
  { disposed, sessionContext }: NotebookPanel,
  changed: () => void
): void {
  const { kernelChanged, kernelPreferenceChanged } = sessionContext;
  kernelPreferenceChanged.connect(changed);
  kernelChanged.connect(changed);
  // Another view of the notebook may keep its session.
  disposed.connect(() => {
    kernelPreferenceChanged.disconnect(changed);
    kernelChanged.disconnect(changed);
  });
}

/** The widget factory of notebooks. */
export const NOTEBOOK_FACTORY = 'Notebook';

/** Open a file of any type as a notebook. */
export async function openNotebook(
  { commands }: Pick<JupyterFrontEnd, 'commands'>,
  path: string,
  options: JSONObject = {}
): Promise<IDocumentWidget | undefined> {
  const args = { path, factory: NOTEBOOK_FACTORY, ...options };
  return (await commands.execute('docmanager:open', args)) as
    IDocumentWidget | undefined;
}

/**
 * Open a file of any type as a notebook with our kernel.
 *
 * @param options - Where JupyterLab puts it.
 */
export function openChat(
  app: Pick<JupyterFrontEnd, 'commands'>,
  path: string,
  options: JSONObject = {}
): Promise<IDocumentWidget | undefined> {
  return openNotebook(app, path, { kernel: { name: KERNEL_NAME }, options });
}

/** Create an untitled `.msg.md` in a folder and open it as a notebook. */
export async function newChatFile(
  app: Pick<JupyterFrontEnd, 'commands'>,
  path: string | undefined,
  options: JSONObject = {}
): Promise<IDocumentWidget | undefined> {
  const file = (await app.commands.execute('docmanager:new-untitled', {
    path: path ?? '',
    type: 'file',
    ext: '.msg.md'
  })) as Contents.IModel | undefined;
  if (file === undefined) {
    return undefined;
  }
  // Not marked as untitled: at the first save JupyterLab would ask for a name with all of
  // `untitled.msg` selected, and a file without `.msg` in its name is not a chat.
  return openChat(app, file.path, options);
}

type Options = SessionContextDialogs.IKernelOptions;

/**
 * Select what a dialog would have proposed without our kernels, if it selects nothing itself.
 *
 * JupyterLab sorts kernels by their names, and where it knows no better the first one is proposed: a
 * "Chat" before any "Python".
 *
 * @param defaultName - Name of the server's default kernel.
 */
export function proposeOtherKernel(
  options: Options,
  defaultName: string | undefined
): Options {
  const all = options.groups.flatMap(group => group.options);
  const first = options.groups[0]?.options ?? [];
  const nameOf = ({ value }: { value?: string }) => kernelName(value);
  if (all.some(({ selected }) => selected) || !first.length) {
    return options;
  }
  if (bareCellOf(nameOf(first[0])) !== null) {
    const others = first.filter(one => bareCellOf(nameOf(one)) === null);
    const proposed =
      others.find(one => nameOf(one) === defaultName) ?? others[0];
    if (proposed !== undefined) {
      proposed.selected = true;
    }
  }
  return options;
}

/** Return the kernel's name in the value of an option, JSON that JupyterLab made. */
function kernelName(value: string | undefined): string | undefined {
  const choice: unknown = JSON.parse(value ?? 'null');
  return isObject(choice) ? (asText(choice.name) ?? undefined) : undefined;
}

type Mode = StaticNotebook.INotebookConfig['windowingMode'];

/** JupyterLab's mode in which the page lays out only the cells in view. */
const OURS: Mode = 'full';

/**
 * Keeps a notebook in our mode while it is a chat, and in that of the user's settings otherwise.
 *
 * A Python notebook stays as its kernel's users have it, also if messages can be in it.
 */
export class ChatWindowing {
  constructor(
    private readonly _panel: NotebookPanel,
    /** Returns whether chats have a mode of their own. */
    private readonly _isOn: () => boolean
  ) {
    this._theirs = this._panel.content.notebookConfig.windowingMode;
    onKernelChoice(this._panel, () => this.update());
    this._panel.content.model?.metadataChanged.connect(this.update, this);
    this._panel.disposed.connect(() => Signal.clearData(this));
    this.update();
  }

  /** Whether the notebook is in our mode because it is a chat. */
  get isOurs(): boolean {
    return this._isOurs;
  }

  /** Emitted when that has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Take over the mode that JupyterLab has just set in all notebooks. */
  takeTheirs(): void {
    this._theirs = this._panel.content.notebookConfig.windowingMode;
    this.update();
  }

  update(): void {
    const { content, isDisposed } = this._panel;
    if (isDisposed) {
      return;
    }
    const wasOurs = this._isOurs;
    this._isOurs = this._isOn() && bareCellSoon(this._panel) === 'message';
    const windowingMode = this._isOurs ? OURS : this._theirs;
    if (content.notebookConfig.windowingMode !== windowingMode) {
      content.notebookConfig = { ...content.notebookConfig, windowingMode };
    }
    if (wasOurs !== this._isOurs) {
      this._changed.emit();
    }
  }

  private readonly _changed = new Signal<this, void>(this);
  private _theirs: Mode;
  private _isOurs = false;
}

/**
 * Return what a bare cell of a notebook is, or will be; null for no chat.
 *
 * JupyterLab chooses the kernel after it has asked the server for checkpoints. By then it would have
 * built many cells that are out of view.
 */
export function bareCellSoon({
  content,
  sessionContext
}: NotebookPanel): BareCell | null {
  const { session, kernelPreference } = sessionContext;
  const isChosen = Boolean(session?.kernel) || Boolean(kernelPreference.name);
  return isChosen
    ? bareCellIn(sessionContext)
    : bareCellOf(content.model?.defaultKernelName);
}
