import type { JSONObject } from '@lumino/coreutils';

import type { TurnJson } from '../turn/delta';
import type { IWritingPage } from './writers';

/** What live turns need of a notebook. */
export interface ITurnPage extends IWritingPage {
  /** Cells that may be prompts. */
  prompts(): string[];
  /** The turn among the cell's outputs. */
  turn(cellId: string): TurnJson | null;
  /** Whether the cell is shown as running. */
  isRunning(cellId: string): boolean;
  setRunning(cellId: string, running: boolean): void;
  /** Put a turn into the cell's outputs, in place of the one there; false if there is none. */
  replace(cellId: string, data: JSONObject): boolean;
  /** Add a turn to the cell's outputs. */
  add(cellId: string, data: JSONObject): void;
  /** Remove the cell's outputs. */
  clear(cellId: string): void;
  /** Take over what a turn that has just ended says of other cells. */
  ended(turn: TurnJson): void;
  /** Draw the turn of that cell anew. */
  refresh(cellId: string): void;
}
