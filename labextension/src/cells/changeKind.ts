import type {
  Cell,
  CodeCell,
  MarkdownCell,
  ICellModel,
  ICodeCellModel
} from '@jupyterlab/cells';
import type { Notebook, INotebookModel } from '@jupyterlab/notebook';
import type { BareCell } from '../comm/ourKernels';
import { asOneChange } from '../live/documentChanges';
import { type Kind, kindOf, withKind, withFirstLine } from './kinds';
import { turnOf } from '../live/notebookCells';
import { asText, isObject } from '../turn/reading';

/** The part of a notebook whose cells change. */
type Changed = Pick<
  Notebook,
  'model' | 'widgets' | 'activeCellIndex' | 'isSelectedOrActive' | 'deselectAll'
>;

/** Return the kind of a cell. */
export function kindOfCell({ model }: Cell, bare: BareCell): Kind | null {
  const { type, sharedModel } = model;
  return kindOf({ type, source: sharedModel.getSource() }, bare);
}

/** Return the kind of all selected cells; null if they differ, or are of none in the list. */
export function selectedKind(
  notebook: Pick<Notebook, 'widgets' | 'isSelectedOrActive'>,
  bare: BareCell
): Kind | null {
  const kinds = notebook.widgets
    .filter(cell => notebook.isSelectedOrActive(cell))
    .map(cell => kindOfCell(cell, bare));
  return kinds.every(kind => kind === kinds[0]) ? (kinds[0] ?? null) : null;
}

/** Make the selected cells of a kind, as one change that can be undone. */
export function changeKind(
  notebook: Changed,
  kind: Kind,
  bare: BareCell
): void {
  const { model, widgets, activeCellIndex } = notebook;
  if (model === null || model.readOnly) {
    return;
  }
  const places = widgets
    .map((cell, index) => ({ cell, index }))
    .filter(({ cell }) => notebook.isSelectedOrActive(cell) && mayChange(cell));
  asOneChange(model, () => {
    for (const { cell, index } of places) {
      change(model, cell, index, kind, bare);
    }
  });
  for (const { index } of places) {
    const { model: made } = notebook.widgets[index];
    if (made.type === 'markdown') {
      (notebook.widgets[index] as MarkdownCell).rendered = false;
    } else {
      setCursor(notebook.widgets[index]);
    }
  }
  notebook.activeCellIndex = activeCellIndex;
  notebook.deselectAll();
}

/** Make the selected cells of a kind, and keep the focus in the notebook. */
export async function chooseKind(
  notebook: Notebook,
  kind: Kind,
  bare: BareCell
): Promise<void> {
  changeKind(notebook, kind, bare);
  const { activeCell: cell, activeCellIndex } = notebook;
  // A cell of another type is a new one, which a long chat draws only when it is in view.
  await notebook.scrollToItem(activeCellIndex, 'smart');
  await cell?.ready;
  for (let frame = 0; frame < FRAMES && cell?.isAttached === false; frame++) {
    await new Promise(requestAnimationFrame);
  }
  if (cell === notebook.activeCell) {
    notebook.activate();
  }
}

/** Frames in which a cell that is in view is drawn. */
const FRAMES = 20;

/** Return whether JupyterLab would let a person change the type of a cell. */
function mayChange(cell: Cell): boolean {
  const asks =
    cell.model.type === 'code' && (cell as CodeCell).outputArea.pendingInput;
  return !asks && cell.model.getMetadata('editable') !== false;
}

function change(
  model: NonNullable<Notebook['model']>,
  { model: cell }: Cell,
  index: number,
  kind: Kind,
  bare: BareCell
): void {
  const { type, sharedModel } = cell;
  const before = { type, source: sharedModel.getSource() };
  const { type: cell_type, source } = withKind(before, kind, bare);
  if (cell_type === type) {
    sharedModel.setSource(source);
    return;
  }
  // As JupyterLab changes a type.
  const { id, metadata, attachments } = cell.toJSON();
  model.sharedModel.deleteCell(index);
  model.sharedModel.insertCell(index, {
    id,
    cell_type,
    source,
    metadata: { ...metadata, trusted: cell_type === 'code' ? true : undefined },
    ...(attachments && cell_type !== 'code' ? { attachments } : {})
  });
}

/** Let a person go on below the first line: it is there already. */
function setCursor({ model, editor }: Cell): void {
  const source = model.sharedModel.getSource();
  if (editor && /^%%\S+\n/.test(source)) {
    const { line } = editor.getCursorPosition();
    editor.setCursorPosition({ line: Math.max(line, 1), column: 0 });
  }
}

/** Return whether the file of a notebook says that its code is Python. */
export function isPythonNotebook(
  model: Pick<INotebookModel, 'getMetadata'>
): boolean {
  const nameIn = (key: string, name: string) => {
    const found: unknown = model.getMetadata(key);
    return isObject(found) ? asText(found[name])?.toLowerCase() : undefined;
  };
  const language =
    nameIn('language_info', 'name') ?? nameIn('kernelspec', 'language');
  return language === 'python';
}

/** Return the cells of a Python notebook that a chat would take for messages. */
export function unmarkedCode(
  model: Pick<INotebookModel, 'cells'>
): ICellModel[] {
  return Array.from(model.cells).filter(cell => {
    const { type, sharedModel } = cell;
    const source = sharedModel.getSource();
    return (
      source.trim() !== '' &&
      kindOf({ type, source }, 'message') === 'message' &&
      kindOf({ type, source }, 'python') === 'python' &&
      // What a model has answered was a message.
      turnOf(cell as ICodeCellModel) === null
    );
  });
}

/** Mark cells as Python, as one change that can be undone. */
export function markPython(
  model: Pick<INotebookModel, 'sharedModel'>,
  cells: readonly ICellModel[]
): void {
  asOneChange(model, () => {
    for (const { sharedModel } of cells) {
      const source = sharedModel.getSource();
      sharedModel.setSource(withFirstLine(source, 'python', 'message'));
    }
  });
}
