import type { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

/** Where a side panel stands, and the command that shows it. */
export interface ISidePanelPlace {
  readonly area: 'left' | 'right';
  readonly rank: number;
  /** Kind of panel, by which JupyterLab's settings name it. */
  readonly type: string;
  readonly command: string;
  readonly label: string;
  readonly caption: string;
}

/** What a page may lack. */
export interface ISidePanelServices {
  readonly trans: TranslationBundle;
  readonly palette: ICommandPalette | null;
  readonly restorer: ILayoutRestorer | null;
}

/** Add a panel to a side bar, and the command that shows it to the palette. */
export function addSidePanel(
  { commands, shell }: JupyterFrontEnd,
  panel: Widget,
  place: ISidePanelPlace,
  { trans, palette, restorer }: ISidePanelServices
): void {
  const { area, rank, type, command, label, caption } = place;
  makeFocusable(shell, panel);
  shell.add(panel, area, { rank, type });
  restorer?.add(panel, panel.id);
  commands.addCommand(command, {
    label,
    caption,
    icon: panel.title.icon,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => showPanel(shell, panel)
  });
  palette?.addItem({ command, category: trans.__('Chat') });
}

/** Let a side panel take the focus, which Escape gives back to the document in front. */
function makeFocusable(shell: JupyterFrontEnd.IShell, panel: Widget): void {
  panel.node.tabIndex = -1;
  panel.node.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.preventDefault();
      shell.currentWidget?.activate();
    }
  });
}

/** Show a side panel and give it the focus. */
function showPanel(shell: JupyterFrontEnd.IShell, panel: Widget): void {
  shell.activateById(panel.id);
  // The command palette gives the focus back to the notebook when it closes, after this command.
  requestAnimationFrame(() => panel.node.focus());
}
