import type { JSONObject } from '@lumino/coreutils';
import type { ITurnCells } from '../live/turnOutputs';
import type { TurnJson } from '../turn/delta';
import { TURN_MIME } from '../turn/model';

const started = '2026-11-20T10:00:00Z';

export function turn(status: string, text = ''): TurnJson {
  const blocks = text === '' ? [] : [{ type: 'text', text }];
  return { version: 1, status, started, blocks };
}

/** Cells with one output each, at most. */
export class FakePage implements ITurnCells {
  readonly outputs = new Map<string, JSONObject | null>();
  readonly running = new Set<string>();
  readonly refreshed: string[] = [];
  readonly over: TurnJson[] = [];
  readonly client = 'me';
  isShared = false;
  writes = 0;

  constructor(...cells: string[]) {
    cells.forEach(cell => this.outputs.set(cell, null));
  }

  has = (cellId: string): boolean => this.outputs.has(cellId);
  prompts = (): string[] => Array.from(this.outputs.keys());
  turn = (cellId: string): TurnJson | null =>
    (this.outputs.get(cellId)?.[TURN_MIME] as TurnJson | undefined) ?? null;
  isRunning = (cellId: string): boolean => this.running.has(cellId);
  setRunning = (cellId: string, running: boolean): void => {
    this.running[running ? 'add' : 'delete'](cellId);
  };
  replace = (cellId: string, data: JSONObject): boolean => {
    if (!this.outputs.get(cellId)) {
      return false;
    }
    this.writes += 1;
    this.outputs.set(cellId, data);
    return true;
  };
  add = (cellId: string, data: JSONObject): void => {
    this.outputs.set(cellId, data);
  };
  clear = (cellId: string): void => {
    this.outputs.set(cellId, null);
  };
  keepResults = (turn: TurnJson): void => {
    this.over.push(turn);
  };
  refresh = (cellId: string): void => {
    this.refreshed.push(cellId);
  };
}

/** The text of the first block. */
export function said(value: TurnJson | null): unknown {
  return (value?.blocks as { text: string }[] | undefined)?.[0]?.text;
}
