import { Compartment, type Extension } from '@codemirror/state';
import type { CodeCell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import {
  EditorExtensionRegistry,
  type CodeMirrorEditor,
  type IEditorExtensionFactory
} from '@jupyterlab/codemirror';

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

interface IWaiting {
  readonly cell: CodeCell;
  readonly extension: Extension;
}

/** Extensions for cells that have no editor yet. */
const WAITING = new WeakMap<CodeEditor.IModel, readonly IWaiting[]>();

function waitingOf(model: CodeEditor.IModel): readonly IWaiting[] {
  return (WAITING.get(model) ?? []).filter(({ cell }) => !cell.isDisposed);
}

/** Add an extension to the editor of a cell. */
export function extendEditor(cell: CodeCell, extension: Extension): void {
  const { model } = cell;
  const slot = new Compartment();
  const waiting = { cell, extension: slot.of(extension) };
  WAITING.set(model, [...waitingOf(model), waiting]);
  onEditor(cell, editor => {
    WAITING.set(
      model,
      waitingOf(model).filter(other => other !== waiting)
    );
    if (slot.get(editor.editor.state) === undefined) {
      editor.injectExtension(waiting.extension);
    }
  });
}

/**
 * Makes an editor with the extensions that wait for it.
 *
 * CodeMirror writes its style sheet again for an extension that is added later, and Chromium then
 * styles the whole page anew: once more for each cell of a notebook that is opened.
 */
export const waitingExtensions: IEditorExtensionFactory = {
  name: 'msgbook-prompts',
  factory: ({ model }) => {
    const waiting = waitingOf(model);
    // Two views of a notebook share its models, and it is not known whose editor this is.
    const isOne = new Set(waiting.map(({ cell }) => cell)).size === 1;
    return isOne
      ? EditorExtensionRegistry.createImmutableExtension(
          waiting.map(({ extension }) => extension)
        )
      : null;
  }
};
