import type { JSONObject } from '@lumino/coreutils';

import type { TurnJson } from '../turn/delta';
import type { IWritingPage } from './writers';

/** The part of a notebook that live turns need. */
export interface ITurnCells extends IWritingPage {
  /** Return the ids of the cells that may be prompts. */
  prompts(): string[];
  /** Return the turn among the cell's outputs; null if there is none. */
  turn(cellId: string): TurnJson | null;
  /** Return whether the cell is shown as running. */
  isRunning(cellId: string): boolean;
  setRunning(cellId: string, running: boolean): void;
  /** Replace the turn among the cell's outputs; return false if there is none. */
  replace(cellId: string, data: JSONObject): boolean;
  /** Add a turn to the cell's outputs. */
  add(cellId: string, data: JSONObject): void;
  /** Remove the cell's outputs. */
  clear(cellId: string): void;
  /** Take the macros and summaries of a turn that has just ended. */
  keepResults(turn: TurnJson): void;
  /** Draw the turn of that cell again. */
  refresh(cellId: string): void;
}
