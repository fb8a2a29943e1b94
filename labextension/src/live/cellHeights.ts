import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';

import { asText, type IBlock, parseTurn } from '../turn/model';
import { turnOf } from './notebookCells';

/** Heights in pixels, about those of JupyterLab's themes. */
const EDITOR_LINE = 17;
const TEXT_LINE = 22;
const PARAGRAPH = 14;
/** Of a block that is folded, and of the line above a turn. */
const ROW = 30;
const MARGIN = 22;

/** Characters in a line of an answer. */
const LINE = 110;

/** Return about how high a cell with a turn will be that was never on the screen; null for others. */
export function turnCellHeight(cell: ICellModel): number | null {
  const turn =
    cell.type === 'code' ? parseTurn(turnOf(cell as ICodeCellModel)) : null;
  if (turn === null) {
    return null;
  }
  const lines = cell.sharedModel.getSource().split('\n').length;
  const answer = turn.blocks.reduce(
    (sum, block) => sum + blockHeight(block),
    0
  );
  return lines * EDITOR_LINE + MARGIN + ROW + answer;
}

function blockHeight({ type, text }: IBlock): number {
  return type === 'text' ? textHeight(asText(text) ?? '') : ROW;
}

function textHeight(text: string): number {
  return text
    .split('\n')
    .reduce(
      (sum, line) =>
        sum +
        (line.trim() === ''
          ? PARAGRAPH
          : Math.ceil(line.length / LINE) * TEXT_LINE),
      0
    );
}
