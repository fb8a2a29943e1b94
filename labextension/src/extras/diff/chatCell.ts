import type { JSONValue } from '@lumino/coreutils';
import {
  kindOf,
  NOTICES,
  REASONINGS,
  TEXTS,
  TOOL_CALLS,
  TOOL_RESULTS
} from '../../turn/kinds';
import {
  type IBlock,
  parseTurn,
  resultParts,
  TURN_MIME
} from '../../turn/model';
import { asObjects, asText, isObject } from '../../turn/reading';
import { errorText, indentJson } from '../../turn/text';
import type { IDiffModel, IVersion } from '@jupyterlab/git';

/** A part of an answer, as text that can be compared. */
export interface IPart {
  /** Type of the block; `output` for what is no turn. */
  readonly type: string;
  readonly text: string;
}

/** A cell of one version, with text of unknown origin. */
export interface IChatCell {
  /** Names the cell in its version. */
  readonly id: string;
  readonly type: 'code' | 'markdown' | 'raw';
  readonly source: string;
  readonly parts: readonly IPart[];
  /** MIME bundles of its turns. */
  readonly turns: readonly JSONValue[];
}

/** Return the cells in an answer of the server; null if the text was no chat. */
export function parseCells(answer: unknown): IChatCell[] | null {
  const cells = isObject(answer) ? answer.cells : undefined;
  if (!Array.isArray(cells)) {
    return null;
  }
  const seen = new Map<string, number>();
  return cells.filter(isObject).map(cell => {
    const id = asText(cell.id) ?? '';
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return parseCell(cell, count === 0 ? id : `${id} ${count}`);
  });
}

/** Return whether two cells show the same. */
export function isSame(before: IChatCell, after: IChatCell): boolean {
  return (
    before.type === after.type &&
    before.source === after.source &&
    isSameAnswer(before, after)
  );
}

/** Return whether the answers of two cells show the same. */
export function isSameAnswer(before: IChatCell, after: IChatCell): boolean {
  const { parts } = after;
  return (
    before.parts.length === parts.length &&
    before.parts.every(
      ({ type, text }, index) =>
        type === parts[index].type && text === parts[index].text
    )
  );
}

function parseCell(cell: Record<string, unknown>, id: string): IChatCell {
  const outputs = asObjects(cell.outputs);
  const type =
    cell.cell_type === 'markdown' || cell.cell_type === 'raw'
      ? cell.cell_type
      : 'code';
  return {
    id,
    type,
    source: joined(cell.source),
    parts: outputs.flatMap(outputParts),
    turns: outputs.map(turnOf).filter(turn => turn !== null)
  };
}

function turnOf(output: Record<string, unknown>): JSONValue | null {
  const data = isObject(output.data) ? output.data : {};
  const turn = data[TURN_MIME];
  return parseTurn(turn) === null ? null : (turn as JSONValue);
}

function outputParts(output: Record<string, unknown>): IPart[] {
  const turn = parseTurn(turnOf(output));
  if (turn !== null) {
    return turn.blocks.map(block => ({
      type: block.type,
      text: blockText(block)
    }));
  }
  const data = isObject(output.data) ? output.data : {};
  const text = joined(output.text ?? data['text/plain']);
  return [{ type: 'output', text: text === '' ? json(output) : text }];
}

function blockText(block: IBlock): string {
  switch (kindOf(block)) {
    case TEXTS:
    case REASONINGS:
    case NOTICES:
      return asText(block.text) ?? '';
    case TOOL_CALLS: {
      const given = asText(block.arguments);
      const indented = given === undefined ? json(block) : indentJson(given);
      return `${asText(block.name) ?? ''}\n${indented}`;
    }
    case TOOL_RESULTS:
      return resultParts(block.content)
        .map(part => (part.kind === 'text' ? part.text : json(part)))
        .join('\n');
    default:
      return json(block);
  }
}

/** Return a text that nbformat may keep as a list of lines. */
function joined(value: unknown): string {
  return Array.isArray(value)
    ? value.filter(line => typeof line === 'string').join('')
    : (asText(value) ?? '');
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Reads the cells of a text as a file with that path; null if it is no chat. */
export type ReadCells = (
  path: string,
  text: string
) => Promise<IChatCell[] | null>;

/** The cells of two versions, why they cannot be shown, or null for files that are no chats. */
export type Versions =
  | { readonly before: IChatCell[]; readonly after: IChatCell[] }
  | { readonly reason: string }
  | null;

/** Read both versions of a file. */
export async function readVersions(
  model: IDiffModel,
  read: ReadCells
): Promise<Versions> {
  const cells = async (version: IVersion) => {
    const text = await version.content();
    // A file that was added or deleted has one version without text.
    return text.trim() === '' ? [] : read(model.filename, text);
  };
  try {
    const [before, after] = await Promise.all([
      cells(model.reference),
      cells(model.challenger)
    ]);
    return before && after ? { before, after } : null;
  } catch (reason) {
    return { reason: errorText(reason) };
  }
}
