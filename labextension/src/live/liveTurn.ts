import type { ITurnDelta, ITurnMessage } from '../comm/turnMessages';
import { applyOps, type TurnJson } from '../turn/delta';

/** A turn that the kernel runs, as far as this page knows. */
export interface ILiveTurn {
  readonly cellId: string;
  readonly displayId: string;
  /** Number of the last change in `turn`. */
  seq: number;
  turn: TurnJson;
  /** Whether a change is missing, so that the kernel has another `turn`. */
  lost: boolean;
  /** Whether another page or an earlier visit to this one runs the cell. */
  readonly adopted: boolean;
  /** Whether it has ended and the page that writes it has not written the end yet. */
  ended: boolean;
  /** The turn in the output model. */
  written: TurnJson | null;
}

/** Return the live turn that a message brings; nothing of it is written yet. */
export function startLive(message: ITurnMessage, adopted: boolean): ILiveTurn {
  return {
    cellId: message.cellId,
    displayId: message.displayId,
    seq: message.seq,
    turn: message.turn,
    adopted,
    lost: false,
    written: null,
    ended: false
  };
}

/** Return whether a live turn holds the change with this number already. */
export function holdsChange(live: ILiveTurn, seq: number): boolean {
  return !live.lost && seq <= live.seq;
}

/** Apply a change in place; return false and mark the turn as lost if one before it is missing. */
export function applyDelta(live: ILiveTurn, delta: ITurnDelta): boolean {
  const isNext = !live.lost && delta.seq === live.seq + 1;
  const turn = isNext ? applyOps(live.turn, delta.ops) : null;
  if (turn === null) {
    live.lost = true;
    return false;
  }
  live.turn = turn;
  live.seq = delta.seq;
  return true;
}
