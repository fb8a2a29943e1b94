import { type EditorView, hoverTooltip, tooltips } from '@codemirror/view';
import { Compartment, type Extension } from '@codemirror/state';
import { element } from '../render/dom';
import { controlsVisible } from '../turn/text';
import { holdsPrompt } from './promptLook';
import { type ITag, tagsOf } from './promptKind';
import type { CodeCell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import {
  type CodeMirrorEditor,
  EditorExtensionRegistry,
  type IEditorExtensionFactory
} from '@jupyterlab/codemirror';

/**
 * Returns what the kernel says about a place of a text; null if it says nothing.
 *
 * @param offset - In code units.
 */
export type Inspect = (text: string, offset: number) => Promise<string | null>;

// Colours that IPython writes for terminals.
// eslint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[\d;]*m/g;

/** Show what a reference or a macro brings while the pointer is on it, as Shift+Tab does. */
export function promptHover(inspect: Inspect): Extension {
  return [
    // Cells clip what reaches out of them.
    tooltips({ parent: document.body }),
    hoverTooltip(async (view, pos) => {
      const tag = tagAt(view, pos);
      if (tag === null) {
        return null;
      }
      const text = view.state.doc.toString();
      // A kernel that cannot answer now shows nothing.
      const shown = await inspect(text, tag.from + 2).catch(() => null);
      return shown === null
        ? null
        : {
            pos: tag.from,
            end: tag.to,
            above: true,
            create: () => ({ dom: tooltip(shown) })
          };
    })
  ];
}

function tooltip(text: string): HTMLElement {
  const shown = controlsVisible(text.replace(COLOURS, ''));
  const node = element('div', 'msgbook-Hover', shown);
  node.setAttribute('role', 'tooltip');
  return node;
}

function tagAt(view: EditorView, pos: number): ITag | null {
  const line = view.state.doc.lineAt(pos);
  if (!holdsPrompt(view.state) || line.length > 10_000) {
    return null;
  }
  const at = pos - line.from;
  const tag = tagsOf(line.text).find(({ from, to }) => from <= at && at <= to);
  return tag === undefined
    ? null
    : { from: line.from + tag.from, to: line.from + tag.to };
}

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
