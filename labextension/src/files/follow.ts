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
  readWhenSaved(panel.context, text.context);
  readWhenSaved(text.context, panel.context);
  followCells(panel, text.content.editor);
}

function readWhenSaved(
  saved: DocumentRegistry.Context,
  other: DocumentRegistry.Context
): void {
  const onSave = (_: unknown, state: DocumentRegistry.SaveState) => {
    if (state === 'completed' && !other.isDisposed && !other.model.dirty) {
      void other.revert();
    }
  };
  saved.saveState.connect(onSave);
  other.disposed.connect(() => saved.saveState.disconnect(onSave));
}

/** Scroll the text to the active cell, and the notebook to the cell at the cursor. */
function followCells(panel: NotebookPanel, editor: CodeEditor.IEditor): void {
  const { content } = panel;
  const { selections, sharedModel } = editor.model;
  const showText = () => {
    const line = cellLines(sharedModel.getSource())[content.activeCellIndex];
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
    const index = cellAtLine(sharedModel.getSource(), line);
    if (index < content.widgets.length) {
      content.activeCellIndex = index;
      void content.scrollToItem(index);
    }
  };
  content.activeCellChanged.connect(showText);
  selections.changed.connect(showCell);
  panel.disposed.connect(() => selections.changed.disconnect(showCell));
  showText();
}
