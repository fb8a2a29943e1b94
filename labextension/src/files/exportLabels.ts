import type { IMainMenu } from '@jupyterlab/mainmenu';
import type { TranslationBundle } from '@jupyterlab/translation';
import { type Message, MessageLoop } from '@lumino/messaging';
import type { Menu } from '@lumino/widgets';
import { asText } from '../turn/reading';

/** JupyterLab's command that exports the notebook in front. */
export const EXPORT = 'notebook:export-to-format';
const SUBMENU = 'jp-mainmenu-file-notebookexport';

/** Return labels of nbconvert's formats for which JupyterLab shows nothing but their ids. */
export function exportLabels(trans: TranslationBundle): Map<string, string> {
  return new Map([
    ['asciidoc', trans.__('AsciiDoc')],
    ['msghtml', trans.__('Chat (HTML)')],
    ['msgmarkdown', trans.__('Chat (Markdown)')],
    ['msgnotebook', trans.__('Chat (notebook)')],
    ['msgpdf', trans.__('Chat (PDF)')],
    ['msgslides', trans.__('Chat (slides)')],
    ['qtpdf', trans.__('PDF (made with Qt)')],
    ['qtpng', trans.__('PNG (made with Qt)')],
    ['webpdf', trans.__('PDF (made with a browser)')]
  ]);
}

/** Show labels in File > Save and Export Notebook As in place of ids, whenever it is opened. */
export function labelExports(
  { fileMenu }: IMainMenu,
  labels: ReadonlyMap<string, string>
): void {
  const found = fileMenu.items.find(({ submenu }) => submenu?.id === SUBMENU);
  const menu = found?.submenu;
  if (menu) {
    // JupyterLab fills the menu at some time after the first notebook was opened.
    MessageLoop.installMessageHook(menu, (_, message: Message) => {
      if (message.type === 'update-request') {
        putLabels(menu, labels);
        putFirst(menu);
      }
      return true;
    });
  }
}

/** Put the formats for chats at the top, above a line. */
function putFirst(menu: Menu): void {
  const isOurs = (item: Menu.IItem) =>
    item.command === EXPORT &&
    (asText(item.args.format) ?? '').startsWith('msg');
  const ours = menu.items.filter(isOurs);
  if (ours.length === 0 || menu.items.slice(0, ours.length).every(isOurs)) {
    return;
  }
  ours.forEach(item => menu.removeItem(item));
  ours.forEach(({ command, args }, index) =>
    menu.insertItem(index, { command, args })
  );
  menu.insertItem(ours.length, { type: 'separator' });
}

function putLabels(menu: Menu, labels: ReadonlyMap<string, string>): void {
  menu.items.forEach((item, index) => {
    const label = labels.get(asText(item.args.format) ?? '');
    if (item.command === EXPORT && label && item.args.label !== label) {
      menu.removeItemAt(index);
      menu.insertItem(index, {
        command: EXPORT,
        args: { ...item.args, label }
      });
    }
  });
}
