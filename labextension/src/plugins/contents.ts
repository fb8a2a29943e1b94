import { forEachNotebook, plugin } from './plugin';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { bareCellSoon } from '../live/chatNotebook';
import { forEachCodeCell } from '../live/codeCells';
import { Cell, type CodeCell } from '@jupyterlab/cells';
import type { BareCell } from '../comm/ourKernels';
import { isPrompt } from '../prompts/promptKind';
import { shortened, visible } from '../turn/text';

/** Plugin that lists the messages of a chat in the table of contents. */
export const contentsPlugin = plugin({
  id: '@msgbook/labextension:contents',
  description: 'Lists the messages of a chat in the table of contents.',
  requires: [INotebookTracker],
  activate: (_, _trans, notebooks) => {
    // JupyterLab may ask for the headings before it has chosen the kernel, and does not ask again.
    const join = (panel: NotebookPanel) =>
      forEachCodeCell(panel.content, cell =>
        listMessage(cell, () => bareCellSoon(panel))
      );
    forEachNotebook(notebooks, join);
  }
});

/** Characters of a message in the table of contents. */
const SHOWN = 80;

/**
 * List a message in the table of contents, above the headings of its answer.
 *
 * JupyterLab asks each cell for its headings, and has no other place where one can be added.
 *
 * @param bareCell - Returns what a bare cell of the notebook is now; null for no chat.
 */
export function listMessage(
  cell: Pick<CodeCell, 'model' | 'getHeadings'>,
  bareCell: () => BareCell | null
): void {
  const headings = cell.getHeadings.bind(cell);
  cell.getHeadings = async () => {
    const own = await headings();
    const { id, sharedModel } = cell.model;
    const bare = bareCell();
    const text = bare === null ? '' : titleOf(sharedModel.getSource(), bare);
    return text === '' ? own : [headingOf(id, text), ...own];
  };
}

/** Return the first words of a message in one line; empty for code and for an empty cell. */
function titleOf(source: string, bare: BareCell): string {
  if (!isPrompt(source, bare)) {
    return '';
  }
  const lines = source.split('\n').map(line => line.trim());
  const first = lines.find(line => line !== '' && !line.startsWith('%%msg'));
  return shortened(visible(first ?? ''), SHOWN);
}

function headingOf(id: string, text: string): Cell.IHeading & { id: string } {
  // No element has this id, so the page scrolls to the cell. The id of Markdown would be learnt by rendering it.
  const place = `msgbook-message-${id}`;
  return { text, level: 1, id: place, type: Cell.HeadingType.HTML };
}
