import type { JSONObject, JSONValue } from '@lumino/coreutils';

import { parseTurn } from './model';
import { isObject } from './reading';

/** A turn as JSON with all its keys, unknown ones included. */
export type TurnJson = JSONObject;

/** Return `value` if it is the JSON of a turn, else null. */
export function turnJson(value: unknown): TurnJson | null {
  return parseTurn(value) === null ? null : (value as TurnJson);
}

/**
 * Return the turn after `ops` (docs/protocol.md); null if one of them does not fit.
 *
 * Nothing is changed in place. Blocks that no operation names stay the same objects, so that a view
 * recognises unchanged blocks by identity.
 */
export function applyOps(turn: TurnJson, ops: unknown): TurnJson | null {
  if (!Array.isArray(ops)) {
    return null;
  }
  let head: TurnJson = turn;
  const blocks = [...(turn.blocks as JSONObject[])];
  for (const op of ops as unknown[]) {
    if (!Array.isArray(op)) {
      return null;
    }
    const [name, ...args] = op as unknown[];
    if (name === 'head' && args.length === 1 && isObject(args[0])) {
      head = args[0] as TurnJson;
    } else if (name === 'block' && args.length === 2) {
      if (!setBlock(blocks, args[0], args[1])) {
        return null;
      }
    } else if (name === 'append' && args.length === 3) {
      if (!append(blocks, args[0], args[1], args[2])) {
        return null;
      }
    } else {
      return null;
    }
  }
  return turnJson({ ...head, blocks });
}

function setBlock(
  blocks: JSONObject[],
  index: unknown,
  block: unknown
): boolean {
  if (!isIndex(index, blocks.length + 1) || !isObject(block)) {
    return false;
  }
  blocks[index] = block as JSONObject;
  return true;
}

function append(
  blocks: JSONObject[],
  index: unknown,
  key: unknown,
  text: unknown
): boolean {
  if (!isIndex(index, blocks.length) || typeof key !== 'string') {
    return false;
  }
  const block = blocks[index];
  const before: JSONValue | undefined = Object.hasOwn(block, key)
    ? block[key]
    : undefined;
  if (typeof before !== 'string' || typeof text !== 'string') {
    return false;
  }
  blocks[index] = { ...block, [key]: before + text };
  return true;
}

function isIndex(value: unknown, length: number): value is number {
  return (
    Number.isInteger(value) &&
    (value as number) >= 0 &&
    (value as number) < length
  );
}
