import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { MenuSvg } from '@jupyterlab/ui-components';
import type { JSONObject } from '@lumino/coreutils';

import type { History } from '../comm/historyMessages';
import type { IActiveCell } from './activePrompt';

/** What requests can get of a cell, in the order of menus. */
export const HISTORIES: readonly History[] = ['include', 'exclude', 'summary'];

/** Open the menu with all commands at the button of the cell's toolbar. */
export function openMenu(
  { commands }: JupyterFrontEnd,
  active: IActiveCell,
  trans: TranslationBundle
): void {
  const menu = new MenuSvg({ commands });
  menu.title.label = trans.__('Chat');
  const add = (command: string, args: JSONObject = {}) =>
    menu.addItem({ command, args });
  add('msgbook:choose-cell-agent');
  add('msgbook:run-again');
  add('msgbook:retry-with-model');
  add('msgbook:retry-with-agent');
  menu.addItem({ type: 'separator' });
  HISTORIES.forEach(history => add('msgbook:set-history', { history }));
  menu.addItem({ type: 'separator' });
  add('msgbook:copy-answer');
  add('msgbook:copy-as-markdown');
  add('msgbook:fork-conversation');
  const { left, bottom } = anchorOf(
    active,
    'open-cell-menu'
  ).getBoundingClientRect();
  menu.aboutToClose.connect(() => requestAnimationFrame(() => menu.dispose()));
  menu.open(left, bottom);
}

/** Return the element at which a command opens what it shows. */
export function anchorOf({ widget }: IActiveCell, command: string): Element {
  const button = widget.node.querySelector<HTMLElement>(
    `.jp-cell-toolbar [data-command='msgbook:${command}']`
  );
  const isShown = button !== null && button.getClientRects().length > 0;
  return isShown ? button : (widget.promptNode ?? widget.node);
}
