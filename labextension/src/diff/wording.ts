import type { TranslationBundle } from '@jupyterlab/translation';

import { controlsVisible } from '../turn/text';
import type { IPartRow } from './parts';
import type { IRow } from './rows';

/** Return what happened to a cell. */
export function rowWords(
  { kind, moved, before, after }: IRow,
  trans: TranslationBundle
): string {
  if (moved) {
    return kind === 'changed'
      ? trans.__('Moved and changed')
      : trans.__('Moved');
  }
  if (kind === 'changed' && before?.source === after?.source) {
    return trans.__('Answer changed');
  }
  switch (kind) {
    case 'added':
      return trans.__('Added');
    case 'removed':
      return trans.__('Removed');
    case 'changed':
      return trans.__('Changed');
    case 'same':
      return trans.__('Unchanged');
  }
}

/** Return the name of a part of an answer, and what happened to it. */
export function partWords(
  { type, before, after }: IPartRow,
  trans: TranslationBundle
): { label: string; note: string } {
  const label = partName(type, trans);
  if (before === after) {
    return { label, note: '' };
  }
  if (before === undefined) {
    return { label, note: trans.__('Added') };
  }
  const note = after === undefined ? trans.__('Removed') : trans.__('Changed');
  return { label, note };
}

function partName(type: string, trans: TranslationBundle): string {
  switch (type) {
    case 'reasoning':
      return trans.__('Thinking Process');
    case 'tool_call':
      return trans.__('Tool call');
    case 'tool_result':
      return trans.__('Result');
    case 'output':
      return trans.__('Output');
    case 'text':
      return trans.__('Answer');
    default:
      return controlsVisible(type);
  }
}
