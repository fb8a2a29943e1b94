import { Clipboard } from '@jupyterlab/apputils';

/**
 * Copy text to the system's clipboard, and leave the focus where it is.
 *
 * JupyterLab restores the selection afterwards, and Chromium then gives the focus to the editor that
 * the selection is in: a person at a button would go on in the message whose cursor they had left.
 */
export function copyText(text: string): void {
  const selection = window.getSelection();
  const editor = elementOf(selection?.anchorNode ?? null)?.closest(
    '[contenteditable="true"]'
  );
  if (editor && !editor.contains(document.activeElement)) {
    // The editor keeps its own, and shows it when it has the focus again.
    selection?.removeAllRanges();
  }
  Clipboard.copyToSystem(text);
}

function elementOf(node: Node | null): Element | null {
  return node instanceof Element ? node : (node?.parentElement ?? null);
}
