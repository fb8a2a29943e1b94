import type { JupyterFrontEnd } from '@jupyterlab/application';
import { addCommand } from '../commands';
import { plugin } from './plugin';
import { ICommandPalette } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  beginQuestion,
  type IAsked,
  nameInFile,
  selectedInDocument,
  selectedInNotebook
} from '../ask/selections';
import { kindOfCell } from '../cells/changeKind';
import { withFirstLine } from '../cells/kinds';
import { relativeTo } from '../files/beside';
import { bareCellIn, newChatFile } from '../live/chatNotebook';
import { activateCell, asOneChange, insertCell } from '../live/documentChanges';
import { IPageConnections } from '../tokens';

const ASK = 'msgbook:ask-about';

/** Plugin that begins a message about what a person has selected. */
export const askAboutPlugin = plugin({
  id: '@msgbook/labextension:ask-about',
  description: 'Begins a message about a selection, in a chat.',
  requires: [IPageConnections],
  optional: [ICommandPalette],
  activate: (app, trans, connections, palette) => {
    const asker = new Asker(app, connections, trans);
    addCommand(app, palette, trans, ASK, {
      label: trans.__('Ask About This'),
      caption: trans.__(
        'Begin a message about the selection, here or in a chat beside it'
      ),
      isEnabled: () => asker.selection !== null,
      execute: () => asker.ask()
    });
  }
});

/** What is asked about, and the chat that it is in, if it is in one. */
interface ISelection {
  readonly asked: IAsked;
  readonly from: string;
  readonly chat?: NotebookPanel;
  /** The place of the cell that is asked about in its chat. */
  readonly index?: number;
  /** The cell of another notebook that is asked about. */
  readonly cell?: IOtherCell;
}

interface IOtherCell {
  readonly panel: NotebookPanel;
  readonly index: number;
}

class Asker {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _connections: IPageConnections,
    private readonly _trans: TranslationBundle
  ) {
    this._connections.currentChanged.connect((_, connection) => {
      this._last = connection?.panel ?? this._last;
    });
  }

  /** What is selected in the document in front; null if nothing can be asked about. */
  get selection(): ISelection | null {
    const widget = this._app.shell.currentWidget;
    if (!(widget instanceof NotebookPanel)) {
      const asked = selectedInDocument(widget);
      const from = (widget as NotebookPanel | null)?.context?.path ?? '';
      return asked === null ? null : { asked, from };
    }
    const bare = bareCellIn(widget.sessionContext);
    const asked = selectedInNotebook(widget, bare);
    const from = widget.context.path;
    return asked === null
      ? null
      : bare !== null
        ? { asked, from, chat: widget, index: asked.index }
        : { asked, from, cell: { panel: widget, index: asked.index } };
  }

  async ask(): Promise<void> {
    const { selection } = this;
    // Read before the chat takes the focus: the person may go on in the notebook.
    const place = selection?.cell ? await this._save(selection.cell) : {};
    const chat =
      selection?.chat ?? (selection && (await this._chat(selection)));
    if (!selection || !chat || chat.content.model?.readOnly !== false) {
      return;
    }
    const pathFor = (path: string) => this._pathIn(chat, path);
    const asked = { ...selection.asked, ...place };
    const text = beginQuestion(asked, pathFor, this._trans);
    this._app.shell.activateById(chat.id);
    await beginMessage(chat, selection.index, text);
  }

  /**
   * Save a notebook, since a reference brings what its file says; return how the file names a cell. What the file
   * does not have as it is shown is not named, so it is quoted.
   */
  private async _save({
    panel: { context, content },
    index
  }: IOtherCell): Promise<Pick<IAsked, 'path' | 'cellId'>> {
    const { model } = content.widgets[index];
    const { path } = context;
    if (PathExt.extname(path) !== '.ipynb') {
      return {};
    }
    try {
      if (context.model.dirty && context.canSave) {
        await context.save();
      }
      if (context.model.dirty) {
        return {};
      }
      const { contents } = this._app.serviceManager;
      const saved = await contents.get(path, {
        type: 'notebook',
        content: true
      });
      const source = model.sharedModel.getSource();
      const cellId = nameInFile(saved.content, index, model.id, source);
      return cellId === null ? {} : { path, cellId };
    } catch (error) {
      // JupyterLab has said it.
      console.debug('msgbook: %s is not saved:', path, error);
      return {};
    }
  }

  /** Return the chat that was used last, or a new one beside the document in front. */
  private async _chat({ from }: ISelection): Promise<NotebookPanel | null> {
    const chats = this._connections.all
      .filter(({ isChat }) => isChat)
      .map(({ panel }) => panel);
    const known =
      chats.find(panel => panel === this._last) ?? chats[chats.length - 1];
    if (known !== undefined) {
      return known;
    }
    const made = await newChatFile(this._app, PathExt.dirname(from), {
      mode: 'split-right',
      ref: this._app.shell.currentWidget?.id ?? null
    });
    if (!(made instanceof NotebookPanel)) {
      return null;
    }
    // By then its empty message is there.
    await made.sessionContext.ready;
    return made;
  }

  private _pathIn(chat: NotebookPanel, path: string): string | null {
    const { contents } = this._app.serviceManager;
    const isNear =
      contents.driveName(path) === contents.driveName(chat.context.path);
    return isNear ? relativeTo(contents, chat.context.path, path) : null;
  }

  private _last: NotebookPanel | null = null;
}

/**
 * Begin a message in a chat, and let the person go on with it: in the empty message there, else in a
 * new cell, as one change that can be undone.
 *
 * @param index - The cell above; by default the last one.
 */
async function beginMessage(
  { content: notebook, sessionContext }: NotebookPanel,
  index: number | undefined,
  text: string
): Promise<void> {
  const { model } = notebook;
  const bare = bareCellIn(sessionContext) ?? 'message';
  if (model === null) {
    return;
  }
  const isEmpty = (at: number) =>
    notebook.widgets[at] !== undefined &&
    notebook.widgets[at].model.sharedModel.getSource().trim() === '' &&
    kindOfCell(notebook.widgets[at], bare) === 'message';
  const last = notebook.widgets.length - 1;
  const place =
    index === undefined ? (isEmpty(last) ? last : last + 1) : index + 1;
  const source = withFirstLine(text, 'message', bare);
  if (isEmpty(place)) {
    asOneChange(model, () =>
      model.cells.get(place).sharedModel.setSource(source)
    );
  } else {
    insertCell(model, place, { cell_type: 'code', source });
  }
  activateCell(notebook, place);
  const cell = notebook.widgets[place];
  await notebook.scrollToItem(place, 'smart');
  await cell.ready;
  if (!cell.isDisposed && cell.editor) {
    notebook.mode = 'edit';
    const end = cell.editor.getPositionAt(source.length);
    cell.editor.setCursorPosition(end ?? { line: 0, column: 0 });
    cell.editor.focus();
  }
}
