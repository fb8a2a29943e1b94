import type { CodeCell } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { Extension } from '@codemirror/state';

/** Call `made` with the editor of a cell, as soon as it has one: a cell that was never shown has none. */
export function onEditor(
  cell: CodeCell,
  made: (editor: CodeMirrorEditor) => void
): void {
  void cell.ready.then(() => {
    if (!cell.isDisposed && cell.editor !== null) {
      // JupyterLab has no other editor.
      made(cell.editor as CodeMirrorEditor);
    }
  });
}

/** Add an extension to the editor of a cell. */
export function extendEditor(cell: CodeCell, extension: Extension): void {
  onEditor(cell, editor => editor.injectExtension(extension));
}
