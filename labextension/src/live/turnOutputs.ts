import { nullTranslator } from '@jupyterlab/translation';
import { JSONExt, type JSONObject } from '@lumino/coreutils';
import type { ITurnWriter } from '../comm/turnMessages';
import { takesTooLong } from '../safe/markdown';
import type { TurnJson } from '../turn/delta';
import { hiddenReasoningLines, shownSources } from '../turn/shownFacts';
import {
  kindOf,
  REASONINGS,
  TEXTS,
  TOOL_CALLS,
  TOOL_RESULTS
} from '../turn/kinds';
import { type IBlock, parseTurn, resultParts, TURN_MIME } from '../turn/model';
import { asText } from '../turn/reading';
import { controlsVisible } from '../turn/text';
import { describeModel } from '../turn/wording';

/** Greatest length of a turn's `text/plain`, in characters, as in the kernel. */
const PLAIN_LIMIT = 300;

/** Other programs show the text, so that it does not follow the language of the page. */
const trans = nullTranslator.load('msgbook');

/** ASCII punctuation and line ends. */
const PUNCTUATION = /[!-/:-@[-`{-~\n]/g;

/** HTML's character reference of each ASCII character. */
const REFERENCES = Array.from({ length: 128 }, (_, code) => `&#${code};`);

/**
 * Return the output data of a turn that the kernel has not written itself, or not to its end.
 *
 * Other programs show its Markdown, which therefore has to be safe. The kernel makes a text safe
 * with a parser; here the whole turn is one block of plain text. The kernel's own bundle replaces it.
 */
export function turnBundle(turn: TurnJson): JSONObject {
  return {
    [TURN_MIME]: turn,
    'text/markdown': codeBlock(plainText(turn)),
    'text/plain': summaryLine(turn)
  };
}

function plainText(turn: TurnJson): string {
  const parsed = parseTurn(turn);
  const hidden = parsed && hiddenReasoningLines(parsed, false, trans);
  const texts = (parsed?.blocks ?? []).map((block, index) =>
    blockText(block, hidden?.get(index))
  );
  return controlsVisible(texts.filter(Boolean).join('\n\n'));
}

function blockText(block: IBlock, hidden: string | undefined): string {
  const kind = kindOf(block);
  switch (kind) {
    case TEXTS:
      return `${asText(block.text) ?? ''}${sourcesText(block)}`;
    case REASONINGS:
      return `${kind.sign} ${hidden ?? asText(block.text) ?? ''}`;
    case TOOL_CALLS:
      return `${kind.sign} ${asText(block.name) ?? '?'} ${asText(block.arguments) ?? ''}`;
    case TOOL_RESULTS: {
      const parts = resultParts(block.content);
      const texts = parts.map(part => (part.kind === 'text' ? part.text : '…'));
      return `${kind.sign} ${texts.join('\n')}`;
    }
    default:
      return asText(block.text) ?? asText(block.message) ?? '';
  }
}

function sourcesText(block: IBlock): string {
  const { sources } = shownSources(block);
  const lines = sources.map(
    ({ title, url }, index) => `\n${index + 1}. ${title} ${url ?? ''}`
  );
  return lines.length === 0 ? '' : `\n\nSources:${lines.join('')}`;
}

/** Return a fence, or HTML without punctuation where a fence would take a renderer too long. */
function codeBlock(code: string): string {
  if (code === '') {
    return '';
  }
  const runs: string[] = code.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const block = `${fence}text\n${code}\n${fence}`;
  return takesTooLong(block)
    ? `<pre><code>${code.replace(PUNCTUATION, c => REFERENCES[c.charCodeAt(0)])}</code></pre>`
    : block;
}

/** Return status, model and the beginning of the answer in one line. */
function summaryLine(turn: TurnJson): string {
  const parsed = parseTurn(turn);
  const model = parsed && describeModel(parsed, trans);
  const head = [parsed?.status, model].filter(Boolean).join(' · ');
  const answer = (parsed?.blocks ?? [])
    .filter(block => kindOf(block) === TEXTS)
    .map(block => (asText(block.text) ?? '').slice(0, PLAIN_LIMIT))
    .join(' ');
  const line = controlsVisible(`[${head.slice(0, 100)}] ${answer}`)
    .split(/\s+/)
    .join(' ')
    .trim();
  return line.length <= PLAIN_LIMIT
    ? line
    : `${line.slice(0, PLAIN_LIMIT - 1)}…`;
}

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

/** Writer of live turns into the outputs of a notebook. */
export class TurnOutputs {
  constructor(private readonly _cells: ITurnCells) {}

  /** Replace a turn in the outputs; with `add`, also write it if it is missing. */
  put(live: ILiveTurn, add: boolean): void {
    const { cellId, turn } = live;
    // An output from the kernel has better Markdown.
    const written = JSONExt.deepEqual(this._cells.turn(cellId), turn);
    if (!written && !this._cells.replace(cellId, turnBundle(turn)) && add) {
      this._cells.add(cellId, turnBundle(turn));
    }
    live.written = turn;
  }

  /** Write a turn to its cell's outputs even if it is missing there. */
  ensure(live: ILiveTurn): void {
    const data = turnBundle(live.turn);
    if (!this._cells.replace(live.cellId, data)) {
      this._cells.add(live.cellId, data);
    }
    live.written = live.turn;
  }

  /** Write a turn that this page did not start, in place of an older one. */
  adopt(live: ILiveTurn, begins: boolean): void {
    const there = this._cells.turn(live.cellId);
    const isOld = there ? there.started !== live.turn.started : begins;
    // The page that ran the cell has cleared a shared document.
    if (isOld && !this._cells.isShared) {
      this._cells.clear(live.cellId);
    }
    this.put(live, true);
    this._cells.setRunning(live.cellId, true);
  }

  /** Return whether the document holds a later turn, or as much of this one. */
  hasMore({ cellId, turn }: ILiveTurn): boolean {
    const there = this._cells.turn(cellId);
    if (there === null || there.started !== turn.started) {
      return later(there?.started, turn.started);
    }
    const size = (value: TurnJson) => JSON.stringify(value.blocks).length;
    return size(there) >= size(turn);
  }

  /** Return whether the document holds the end of a turn, or something else in its place. */
  isOver({ cellId, turn }: ILiveTurn): boolean {
    const there = this._cells.turn(cellId);
    return (
      there === null ||
      there.status !== 'running' ||
      there.started !== turn.started
    );
  }
}

/** Return whether one time is after another; both are from a file and may be anything. */
function later(one: unknown, other: unknown): boolean {
  return Date.parse(asText(one) ?? '') > Date.parse(asText(other) ?? '');
}

/** The facts about a page that decide whether it writes. */
export interface IWritingPage {
  /** Whether other pages may show, and change, the same document. */
  readonly isShared: boolean;
  /** This page's client session at the kernel; null without a kernel. */
  readonly client: string | null;
  /** Return whether the notebook has that cell. */
  has(cellId: string): boolean;
}

/**
 * Choice of the page that writes a turn into a document.
 *
 * A page writes every turn into a document of its own. For a document that several pages share, the
 * kernel names the writer. A turn without one is offered to all pages and goes to the first that
 * accepts.
 */
export class Writers {
  constructor(
    private readonly _page: IWritingPage,
    /** Sends a message to the kernel; returns false if it cannot be reached. */
    private readonly _send: (data: JSONObject) => boolean
  ) {}

  /**
   * Note the writer of a turn, and answer the kernel if this page writes it or can.
   *
   * Returns whether this page takes over from here on.
   */
  noteWriter({ cellId, displayId, writer, asks }: ITurnWriter): boolean {
    const { client, isShared } = this._page;
    const before = this.isTakenOver(displayId);
    this._writers.set(displayId, writer);
    const mayBe = writer === null && isShared && this._page.has(cellId);
    if (asks && mayBe) {
      this._offered.add(displayId);
    }
    if (asks && (mayBe || (writer !== null && writer === client))) {
      this._send({ type: 'turn.writing', display_id: displayId });
    }
    return !before && this.isTakenOver(displayId);
  }

  /** Return whether this page writes that turn. */
  isOurs(displayId: string): boolean {
    const { client, isShared } = this._page;
    const name = this._writers.get(displayId) ?? null;
    return !isShared || (name !== null && name === client);
  }

  /** Return whether this page writes that turn instead of the page that ran the cell. */
  isTakenOver(displayId: string): boolean {
    return this._offered.has(displayId) && this.isOurs(displayId);
  }

  forget(displayId: string): void {
    this._writers.delete(displayId);
    this._offered.delete(displayId);
  }

  /** Forget all writers: the kernel is gone. */
  clear(): void {
    this._writers.clear();
    this._offered.clear();
  }

  /** The client sessions of the pages that write, by display. */
  private readonly _writers = new Map<string, string | null>();
  /** Displays of turns that this page has accepted to write. */
  private readonly _offered = new Set<string>();
}
