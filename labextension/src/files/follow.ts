import type { ICodeCellModel } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type {
  DocumentRegistry,
  IDocumentWidget
} from '@jupyterlab/docregistry';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import { asText, isObject } from '../turn/reading';

/** A text editor of JupyterLab, as far as it is needed. */
export type ITextWidget = IDocumentWidget<
  Widget & { readonly editor: CodeEditor.IEditor }
>;

/**
 * Let a notebook and the text of its file follow each other, until one of them is closed.
 *
 * What is saved in one is read by the other, unless that has changes of its own or runs: JupyterLab
 * asks which version to keep when it is saved.
 */
export function followEachOther(panel: NotebookPanel, text: ITextWidget): void {
  if (following.has(text)) {
    return;
  }
  following.add(text);
  const link = {};
  const end = () => {
    following.delete(text);
    Signal.clearData(link);
  };
  panel.disposed.connect(end, link);
  text.disposed.connect(end, link);
  // What a cell that runs puts out would be lost.
  const isIdle = () =>
    panel.content.widgets.every(
      ({ model }) =>
        (model as Partial<ICodeCellModel>).executionState !== 'running'
    );
  readWhenSaved(panel.context, text.context, () => true, link);
  readWhenSaved(text.context, panel.context, isIdle, link);
  followCells(panel, text, link);
}

/** The texts that follow a notebook. */
const following = new WeakSet<ITextWidget>();

function readWhenSaved(
  saved: DocumentRegistry.Context,
  other: DocumentRegistry.Context,
  mayRead: () => boolean,
  link: object
): void {
  saved.saveState.connect((_, state) => {
    if (
      state === 'completed' &&
      !other.isDisposed &&
      !other.model.dirty &&
      mayRead()
    ) {
      // JupyterLab shows the reason in a dialog.
      other.revert().catch((reason: unknown) => {
        console.warn(
          'A saved file was not read again in its other view.',
          reason
        );
      });
    }
  }, link);
}

/** Scroll the text to the active cell, and the notebook to the cell at the cursor. */
function followCells(
  panel: NotebookPanel,
  text: ITextWidget,
  link: object
): void {
  const { content } = panel;
  const { editor } = text.content;
  const { selections, sharedModel } = editor.model;
  const showText = () => {
    const lines = cellLines(sharedModel.getSource(), layoutOf(panel));
    const line = lines[content.activeCellIndex];
    if (line !== undefined && !editor.isDisposed && !editor.hasFocus()) {
      editor.setCursorPosition({ line, column: 0 });
      editor.revealPosition({ line, column: 0 });
    }
  };
  const showCell = () => {
    if (content.isDisposed || !editor.hasFocus()) {
      return;
    }
    const { line } = editor.getCursorPosition();
    const source = sharedModel.getSource();
    const index = cellAtLine(source, line, layoutOf(panel));
    if (index !== undefined && index < content.widgets.length) {
      content.activeCellIndex = index;
      void content.scrollToItem(index);
    }
  };
  content.activeCellChanged.connect(showText, link);
  selections.changed.connect(showCell, link);
  showText();
}

function layoutOf(panel: NotebookPanel): ITextLayout {
  const model = panel.model?.sharedModel;
  const first = model?.cells[0]?.getMetadata('msgbook');
  const { document } = (model?.getMetadata('msgbook') ?? {}) as JSONObject;
  return {
    document: asText(document),
    hasPreamble: isObject(first) && first.type === 'preamble'
  };
}

const MARKER = /^#{1,5} %%(?:$|[ \t]|\[\^)/;

/** What a notebook says about the text that it was read from. */
export interface ITextLayout {
  /** Everything above the message section, with its heading; undefined without a section. */
  readonly document?: string;
  /** Whether the first cell is the text above the first marker. */
  readonly hasPreamble: boolean;
}

/** Return the line, from 0, at which each cell of a message file begins; none if it is unknown. */
export function cellLines(text: string, layout: ITextLayout): number[] {
  const first = firstLine(text, layout.document);
  if (first === null) {
    return [];
  }
  const markers = text
    .split('\n')
    .flatMap((line, index) =>
      index >= first && MARKER.test(line) ? [index] : []
    );
  return layout.hasPreamble ? [first, ...markers] : markers;
}

/** Return the position of the cell that a line belongs to; the first for what stands above all. */
export function cellAtLine(
  text: string,
  line: number,
  layout: ITextLayout
): number | undefined {
  const lines = cellLines(text, layout);
  const above = lines.filter(begin => begin <= line).length;
  return lines.length > 0 ? Math.max(0, above - 1) : undefined;
}

function firstLine(text: string, document = ''): number | null {
  const found = text.indexOf(document);
  return found < 0
    ? null
    : text.slice(0, found + document.length).split('\n').length - 1;
}
