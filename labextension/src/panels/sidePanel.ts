import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Widget } from '@lumino/widgets';

/** Let a side panel take the focus, which Escape gives back to the document in front. */
export function makeFocusable(
  shell: JupyterFrontEnd.IShell,
  panel: Widget
): void {
  panel.node.tabIndex = -1;
  panel.node.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.preventDefault();
      shell.currentWidget?.activate();
    }
  });
}

/** Show a side panel and give it the focus. */
export function showPanel(shell: JupyterFrontEnd.IShell, panel: Widget): void {
  shell.activateById(panel.id);
  // The command palette gives the focus back to the notebook when it closes, after this command.
  requestAnimationFrame(() => panel.node.focus());
}
