import type { History } from '../comm/historyMessages';
import { asText, isObject } from '../turn/model';
import { parseMsgLine } from './msgLine';
import { openingOf } from './opening';
import { OWN_MAGICS } from './ownMagics';

/** What a cell is for the conversation. */
export type CellKind = 'prompt' | 'code' | 'magic' | 'note' | 'raw' | 'empty';

/** What a cell and its metadata say about requests below it. */
export interface ICellFacts {
  readonly kind: CellKind;
  readonly history: History;
  /** The text that is sent in place of the cell, if there is one yet. */
  readonly summary?: string;
  /** The agent and the model that the prompt itself names. */
  readonly agent?: string;
  readonly model?: string;
  /** The role of a note, if it is not the usual one. */
  readonly role?: string;
}

/** A cell as this module needs it. */
export interface ICellLike {
  readonly type: string;
  readonly source: string;
  /** `metadata.msgbook`, of any type. */
  readonly ours: unknown;
}

const INCLUDED: readonly unknown[] = ['include', '1', 'true'];

/** Return what a cell and its metadata say; a `%%msg` line wins over the metadata. */
export function cellFacts({ type, source, ours }: ICellLike): ICellFacts {
  const metadata = isObject(ours) ? ours : {};
  const kind = kindOf(type, source);
  const line = parseMsgLine(kind === 'prompt' ? source : '');
  const named = (key: string) =>
    asText((line.attributes.get(key) || asText(metadata[key]))?.trim());
  const summary = isObject(metadata.summary) ? metadata.summary.text : '';
  return {
    kind,
    history: line.isReadable
      ? historyOf(line.attributes.get('history') ?? metadata.history)
      : 'exclude',
    summary: asText(summary),
    agent: kind === 'prompt' ? named('agent') : undefined,
    model: kind === 'prompt' ? named('model') : undefined,
    role: kind === 'note' ? asText(metadata.role) : undefined
  };
}

/** Return the meaning of a `history`; an unknown value excludes (docs/format.md). */
export function historyOf(value: unknown): History {
  if (value === undefined) {
    return 'include';
  }
  const text =
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
      ? String(value).trim().toLowerCase()
      : '';
  return text === 'summary'
    ? 'summary'
    : INCLUDED.includes(text)
      ? 'include'
      : 'exclude';
}

/** Return whether a request below can hold anything of such a cell. */
export function isSent(kind: CellKind): boolean {
  return kind === 'prompt' || kind === 'code' || kind === 'note';
}

function kindOf(type: string, source: string): CellKind {
  if (type === 'raw') {
    return 'raw';
  }
  if (source.trim() === '') {
    return 'empty';
  }
  if (type !== 'code') {
    return 'note';
  }
  const opening = openingOf(source);
  if (opening === undefined || ['%%msg', '%continue'].includes(opening)) {
    return 'prompt';
  }
  return OWN_MAGICS.includes(opening) ? 'magic' : 'code';
}
