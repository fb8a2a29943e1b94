import type { Cell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import { type DocumentRegistry, DocumentWidget } from '@jupyterlab/docregistry';
import type { IBaseCell, INotebookContent } from '@jupyterlab/nbformat';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';
import { kindOfCell } from '../cells/changeKind';
import type { BareCell } from '../comm/ourKernels';
import type { TranslationBundle } from '@jupyterlab/translation';
import { fenced } from '../code/notebookCode';
import {
  referenceTo,
  referenceToCell,
  referenceToCellOf
} from '../prompts/attachments';

/** What a person has selected in a cell or its outputs, and the place of the cell. */
export interface IAskedCell extends IAsked {
  readonly index: number;
}

/**
 * Return what is selected in a notebook: text of an output, text of the active cell, or the cell.
 *
 * @param bare - What a bare cell is in a chat, in which a message below can refer to the cell; null for no chat.
 */
export function selectedInNotebook(
  { content }: NotebookPanel,
  bare: BareCell | null
): IAskedCell | null {
  const output = selectedInOutput(content.widgets);
  if (output !== null) {
    return output;
  }
  const { activeCell, activeCellIndex: index, model } = content;
  const text = activeCell?.model.sharedModel.getSource() ?? '';
  if (!activeCell || text.trim() === '') {
    return null;
  }
  const kind = kindOfCell(activeCell, bare ?? 'python');
  const languages: Partial<Record<string, string>> = {
    python: bare === null ? model?.defaultKernelLanguage : 'python',
    shell: 'bash'
  };
  const language = languages[kind ?? ''] ?? '';
  const { editor } = activeCell;
  const part = editor ? selectedText(editor) : '';
  if (editor && part !== '') {
    const lines = bare === null ? linesOf(editor) : undefined;
    return { index, text: part, language, lines };
  }
  const cellId = bare === null ? undefined : activeCell.model.id;
  return { index, text, language, cellId };
}

/**
 * Return how the file of a notebook names a cell: by its id, or by its number where the file has none; null if
 * it does not have the cell as it is shown.
 */
export function nameInFile(
  saved: unknown,
  index: number,
  id: string,
  source: string
): string | null {
  const cells = (saved as Partial<INotebookContent> | null)?.cells;
  if (!Array.isArray(cells)) {
    return null;
  }
  const same = (cells as readonly IBaseCell[]).filter(cell => cell.id === id);
  const atPlace = cells[index] as IBaseCell | undefined;
  const found =
    same.length === 1 ? same[0] : atPlace?.id === undefined ? atPlace : null;
  if (!found || sourceOf(found) !== source) {
    return null;
  }
  return found.id === undefined ? `#${index + 1}` : id;
}

function sourceOf({ source }: IBaseCell): string {
  return Array.isArray(source) ? source.join('') : source;
}

function selectedInOutput(cells: readonly Cell[]): IAskedCell | null {
  const selection = document.getSelection();
  const text = selection?.toString() ?? '';
  const node = selection?.anchorNode;
  const outputs = (
    node instanceof Element ? node : node?.parentElement
  )?.closest('.jp-Cell-outputArea');
  const index = outputs
    ? cells.findIndex(cell => cell.node.contains(outputs))
    : -1;
  return index === -1 || text.trim() === ''
    ? null
    : { index, text, isQuoted: true };
}

function selectedText(editor: CodeEditor.IEditor): string {
  const [start, end] = placesOf(editor);
  return editor.model.sharedModel
    .getSource()
    .slice(editor.getOffsetAt(start), editor.getOffsetAt(end));
}

/** Return where the selection of an editor begins and ends. */
function placesOf(
  editor: CodeEditor.IEditor
): [CodeEditor.IPosition, CodeEditor.IPosition] {
  const { start, end } = editor.getSelection();
  const isForwards =
    start.line < end.line ||
    (start.line === end.line && start.column <= end.column);
  return isForwards ? [start, end] : [end, start];
}

/** Return what is selected in a document that is no notebook; null if it cannot be asked about. */
export function selectedInDocument(widget: Widget | null): IAsked | null {
  if (!(widget instanceof DocumentWidget)) {
    return null;
  }
  const context =
    widget.context as DocumentRegistry.IContext<DocumentRegistry.IModel>;
  // Only what is saved can be referred to.
  const path = context.model.dirty ? undefined : context.path;
  const { editor, _grid: grid } = widget.content as IParts;
  if (editor !== undefined) {
    return selectedLines(editor, path);
  }
  return grid === undefined
    ? null
    : selectedRows(grid, path, context.model.toString());
}

/** Parts of JupyterLab's file editor and of its table; the table has no public name for its own. */
interface IParts {
  readonly editor?: CodeEditor.IEditor;
  readonly _grid?: IGrid;
}

/** A table, as Lumino has it. */
export interface IGrid {
  readonly selectionModel: {
    currentSelection(): IRegion | null;
  } | null;
  readonly dataModel: {
    rowCount(region: 'body'): number;
    columnCount(region: 'body'): number;
    data(region: string, row: number, column: number): string;
  } | null;
}

interface IRegion {
  readonly r1: number;
  readonly r2: number;
  readonly c1: number;
  readonly c2: number;
}

function selectedLines(
  editor: CodeEditor.IEditor,
  path: string | undefined
): IAsked {
  const text = selectedText(editor);
  return text === ''
    ? { text: editor.model.sharedModel.getSource(), path }
    : { text, path, lines: linesOf(editor) };
}

/** Return the first and the last line of the selection, from 1. */
function linesOf(editor: CodeEditor.IEditor): [number, number] {
  const [start, end] = placesOf(editor);
  // A selection of whole lines ends at the beginning of the next one.
  const last = end.column === 0 && end.line > start.line ? 0 : 1;
  return [start.line + 1, end.line + last];
}

/** Rows of a table that are quoted at most. */
const MOST_ROWS = 1000;

/** Return what is selected in a table: its lines in the file if each row is one, and its text. */
export function selectedRows(
  { selectionModel, dataModel }: IGrid,
  path: string | undefined,
  file: string
): IAsked | null {
  if (dataModel === null) {
    return null;
  }
  const region = selectionModel?.currentSelection() ?? null;
  if (region === null) {
    return { text: file, language: 'csv', path };
  }
  const rows = dataModel.rowCount('body');
  const columns = dataModel.columnCount('body');
  const [first, last] = ordered(region.r1, region.r2, rows);
  const [left, right] = ordered(region.c1, region.c2, columns);
  const line = (kind: string, row: number) =>
    range(left, right)
      .map(column => field(dataModel.data(kind, row, column)))
      .join(',');
  const text = [
    line('column-header', 0),
    ...range(first, Math.min(last, first + MOST_ROWS - 1)).map(row =>
      line('body', row)
    )
  ].join('\n');
  const isWide = left === 0 && right === columns - 1;
  const areLines = file.trimEnd().split(/\r\n|[\r\n]/).length === rows + 1;
  return isWide && areLines
    ? // The first line of the file names the columns.
      { text, language: 'csv', path, lines: [first + 2, last + 2] }
    : { text, language: 'csv' };
}

function ordered(one: number, other: number, count: number): [number, number] {
  return [
    Math.max(0, Math.min(one, other)),
    Math.min(count - 1, Math.max(one, other))
  ];
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** What a person wants to ask about. */
export interface IAsked {
  /** The text that is meant. */
  readonly text: string;
  /** The language of the text, if it is code. */
  readonly language?: string;
  /** The cell that is meant or holds the text: above the question, or in the notebook `path`. */
  readonly cellId?: string;
  /** The saved file that is meant, or holds the text. */
  readonly path?: string;
  /** The first and the last line of the file, or of the cell, that are meant, from 1. */
  readonly lines?: readonly [number, number];
  /** Whether the text is quoted below the reference, which brings more than it: a cell with its output. */
  readonly isQuoted?: boolean;
}

const LANGUAGE = /^[\w+-]{1,20}$/;

// What ends a line for anybody who reads the message.
// eslint-disable-next-line no-control-regex
const LINE_END = /\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/**
 * Return the beginning of a message about something: its reference, else its text as a quotation.
 *
 * The text may be hostile, as outputs and files are. It stands in a block that it cannot end, where
 * nothing of it is a reference or a macro, and never at the beginning of the message.
 *
 * @param pathFor - Returns a path as it is named from the folder of the chat; null if it cannot be.
 */
export function beginQuestion(
  { text, language = '', cellId, path, lines, isQuoted }: IAsked,
  pathFor: (path: string) => string | null,
  trans: TranslationBundle
): string {
  const near = path === undefined ? undefined : pathFor(path);
  const reference = withLines(whole(near, cellId), lines);
  if (reference !== null && isQuoted !== true) {
    return `${reference} `;
  }
  const code = {
    text: text.replace(LINE_END, '\n'),
    language: LANGUAGE.test(language) ? language : ''
  };
  const quoted = `${trans.__('About this:')}\n\n${fenced(code)}\n\n`;
  return reference === null ? quoted : `${reference}\n\n${quoted}`;
}

/** Return the reference to a file or a cell; null if none can name it. */
function whole(
  path: string | null | undefined,
  cellId: string | undefined
): string | null {
  if (path === undefined) {
    return cellId === undefined ? null : referenceToCell(cellId);
  }
  if (path === null) {
    return null;
  }
  return cellId === undefined
    ? referenceTo(path)
    : referenceToCellOf(path, cellId);
}

/** Return the reference to lines of what another names; null if that has none. */
function withLines(
  reference: string | null,
  lines: IAsked['lines']
): string | null {
  if (reference === null || lines === undefined) {
    return reference;
  }
  const [first, last] = lines;
  const place = first === last ? `${first}` : `${first}:${last}`;
  // An image has no lines.
  return reference.startsWith('@[')
    ? `${reference.slice(0, -1)}:${place}]`
    : null;
}
