import type { ICodeCellModel } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type {
  DocumentRegistry,
  IDocumentWidget
} from '@jupyterlab/docregistry';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import { cellAtLine, cellLines } from './markers';

/** A text editor of JupyterLab, as far as it is needed. */
export type ITextWidget = IDocumentWidget<
  Widget & { readonly editor: CodeEditor.IEditor }
>;

/**
 * Let a notebook and the text of its file follow each other, until one of them is closed.
 *
 * What is saved in one is read by the other, unless that has changes of its own: JupyterLab asks
 * which version to keep when those are saved.
 */
export function followEachOther(panel: NotebookPanel, text: ITextWidget): void {
  if (followers.get(text)?.isDisposed === false) {
    return;
  }
  followers.set(text, panel);
  // What a cell that runs puts out would be lost.
  const isIdle = () =>
    panel.content.widgets.every(
      ({ model }) =>
        (model as Partial<ICodeCellModel>).executionState !== 'running'
    );
  readWhenSaved(panel.context, text.context, () => true);
  readWhenSaved(text.context, panel.context, isIdle);
  followCells(panel, text);
}

/** The notebooks that texts follow already. */
const followers = new WeakMap<ITextWidget, NotebookPanel>();

function readWhenSaved(
  saved: DocumentRegistry.Context,
  other: DocumentRegistry.Context,
  mayRead: () => boolean
): void {
  const onSave = (_: unknown, state: DocumentRegistry.SaveState) => {
    if (
      state === 'completed' &&
      !other.isDisposed &&
      !other.model.dirty &&
      mayRead()
    ) {
      void other.revert();
    }
  };
  saved.saveState.connect(onSave);
  other.disposed.connect(() => saved.saveState.disconnect(onSave));
}

/** Scroll the text to the active cell, and the notebook to the cell at the cursor. */
function followCells(panel: NotebookPanel, text: ITextWidget): void {
  const { content } = panel;
  const { editor } = text.content;
  const { selections, sharedModel } = editor.model;
  const showText = () => {
    const line = cellLines(sharedModel.getSource())[content.activeCellIndex];
    if (line !== undefined && !editor.hasFocus()) {
      editor.setCursorPosition({ line, column: 0 });
      editor.revealPosition({ line, column: 0 });
    }
  };
  const showCell = () => {
    if (content.isDisposed || !editor.hasFocus()) {
      return;
    }
    const { line } = editor.getCursorPosition();
    const index = cellAtLine(sharedModel.getSource(), line);
    if (index < content.widgets.length) {
      content.activeCellIndex = index;
      void content.scrollToItem(index);
    }
  };
  content.activeCellChanged.connect(showText);
  selections.changed.connect(showCell);
  panel.disposed.connect(() => selections.changed.disconnect(showCell));
  text.disposed.connect(() => content.activeCellChanged.disconnect(showText));
  showText();
}
