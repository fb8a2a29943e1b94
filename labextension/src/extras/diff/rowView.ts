import { MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { JSONValue } from '@lumino/coreutils';
import { Panel, Widget } from '@lumino/widgets';
import { Disclosure, element } from '../../render/dom';
import { turnRendererFactory } from '../../render/factory';
import { safeMarkdown } from '../../safe/markdown';
import {
  kindOf,
  REASONINGS,
  TEXTS,
  TOOL_CALLS,
  TOOL_RESULTS
} from '../../turn/kinds';
import { TURN_MIME } from '../../turn/model';
import { controlsVisible } from '../../turn/text';
import { type IChatCell, type IPart, isSameAnswer } from './chatCell';
import type { IRow } from './rows';
import {
  type ChangeObject,
  diffArrays,
  diffLines,
  diffWordsWithSpace
} from 'diff';

/** What the views of a diff need. */
export interface IDiffTools {
  /** Options of JupyterLab's renderers. */
  readonly renderers: IRenderMime.IRendererOptions;
  readonly trans: TranslationBundle;
}

/** Return the view of one row. */
export function rowView(row: IRow, tools: IDiffTools): Widget {
  const view = new Panel();
  const words = rowWords(row, tools.trans);
  view.addClass('msgbook-CellDiff');
  view.addClass(`msgbook-mod-${row.kind}`);
  view.node.setAttribute('role', 'group');
  view.node.setAttribute('aria-label', words);
  view.addWidget(block('div', 'msgbook-CellDiff-kind', words));
  const { before, after } = row;
  if (before && after && row.kind === 'changed') {
    showChange(view, before, after, tools);
  } else {
    showCell(view, (after ?? before)!, tools);
  }
  return view;
}

/** Return a line that opens `fill`'s widgets below it. */
export function foldedView(
  label: string,
  note: string,
  fill: (panel: Panel) => void
): Widget {
  const body = element('div', 'msgbook-CellDiff-folded');
  const disclosure = new Disclosure('msgbook-CellDiff-fold', body);
  disclosure.label(label, note);
  const widget = new Widget({ node: disclosure.node });
  disclosure.whenOpen(() => {
    const panel = new Panel();
    fill(panel);
    Widget.attach(panel, body);
    widget.disposed.connect(() => panel.dispose());
  });
  return widget;
}

function showCell(view: Panel, cell: IChatCell, tools: IDiffTools): void {
  const { trans } = tools;
  if (cell.type === 'markdown') {
    view.addWidget(markdownView(cell.source, tools));
  } else {
    const text = controlsVisible(cell.source);
    view.addWidget(textView([{ kind: 'same', text }]));
  }
  for (const turn of cell.turns) {
    view.addWidget(turnView(turn, tools));
  }
  for (const { type, text } of cell.parts) {
    if (type === 'output') {
      view.addWidget(partView({ type, before: text, after: text }, trans));
    }
  }
}

function showChange(
  view: Panel,
  before: IChatCell,
  after: IChatCell,
  tools: IDiffTools
): void {
  view.addWidget(changedText(before.source, after.source));
  if (isSameAnswer(before, after)) {
    after.turns.forEach(turn => view.addWidget(turnView(turn, tools)));
    return;
  }
  for (const part of diffParts(before.parts, after.parts)) {
    view.addWidget(
      kindOf(part) === TEXTS
        ? answerView(part, tools)
        : partView(part, tools.trans)
    );
  }
  const { trans } = tools;
  const versions: [string, IChatCell][] = [
    [trans.__('Whole answer before'), before],
    [trans.__('Whole answer after'), after]
  ];
  for (const [label, { turns }] of versions) {
    if (turns.length > 0) {
      view.addWidget(
        foldedView(label, '', panel =>
          turns.forEach(turn => panel.addWidget(turnView(turn, tools)))
        )
      );
    }
  }
}

/** Return the view of a text of an answer: rendered, unless it was changed. */
function answerView({ before, after }: IPartRow, tools: IDiffTools): Widget {
  if (before !== undefined && after !== undefined && before !== after) {
    return changedText(before, after);
  }
  const view = markdownView((after ?? before)!, tools);
  if (before === undefined || after === undefined) {
    view.addClass(
      after === undefined ? 'msgbook-Diff-removed' : 'msgbook-Diff-added'
    );
  }
  return view;
}

/** Return the folded view of reasoning, a call, a result or any other part. */
function partView(part: IPartRow, trans: TranslationBundle): Widget {
  const { label, note } = partWords(part, trans);
  return foldedView(label, note, panel =>
    panel.addWidget(changedText(part.before ?? '', part.after ?? ''))
  );
}

function changedText(before: string, after: string): Widget {
  return textView(diffWords(controlsVisible(before), controlsVisible(after)));
}

function textView(pieces: readonly IPiece[]): Widget {
  const nodes = pieces.map(({ kind, text }) =>
    kind === 'same'
      ? document.createTextNode(text)
      : element(
          kind === 'added' ? 'ins' : 'del',
          `msgbook-Diff-${kind}`,
          controlsVisible(text)
        )
  );
  const view = block('div', 'msgbook-CellDiff-text', ...nodes);
  view.node.dir = 'auto';
  return view;
}

function markdownView(text: string, { renderers }: IDiffTools): Widget {
  const view = safeMarkdown(renderers).create();
  view.addClass('msgbook-CellDiff-markdown');
  view.node.dir = 'auto';
  const data = { 'text/markdown': text };
  void view.renderModel(new MimeModel({ data, trusted: false }));
  return view;
}

function turnView(turn: JSONValue, { renderers, trans }: IDiffTools): Widget {
  const options = { ...renderers, mimeType: TURN_MIME };
  const view = turnRendererFactory(trans).createRenderer(options);
  const data = { [TURN_MIME]: turn };
  void view.renderModel(new MimeModel({ data, trusted: false }));
  return view;
}

function block(
  tag: 'div',
  className: string,
  ...children: (Node | string)[]
): Widget {
  return new Widget({ node: element(tag, className, ...children) });
}

/** A part of an answer in both versions, or in one of them. */
export interface IPartRow {
  readonly type: string;
  readonly before?: string;
  readonly after?: string;
}

const MAX_EDITS = 800;

/** Return the parts of two answers, in order; what changed in place is one row. */
export function diffParts(
  before: readonly IPart[],
  after: readonly IPart[]
): IPartRow[] {
  const rows: IPartRow[] = [];
  let removed: IPart[] = [];
  for (const change of align(before, after)) {
    if (change.removed) {
      removed = change.value;
      continue;
    }
    const pairs = change.added ? removed : [];
    if (!change.added) {
      rows.push(...removed.map(removedRow));
    }
    for (const { type, text } of change.value) {
      const index = pairs.findIndex(part => part.type === type);
      rows.push(...pairs.splice(0, Math.max(index, 0)).map(removedRow));
      const paired = change.added ? (index < 0 ? null : pairs.shift()!) : null;
      const old = change.added ? paired?.text : text;
      rows.push({ type, before: old, after: text });
    }
    rows.push(...pairs.map(removedRow));
    removed = [];
  }
  return [...rows, ...removed.map(removedRow)];
}

function align(
  before: readonly IPart[],
  after: readonly IPart[]
): { removed: boolean; added: boolean; value: IPart[] }[] {
  return (
    diffArrays([...before], [...after], {
      comparator: (left, right) =>
        left.type === right.type && left.text === right.text,
      maxEditLength: MAX_EDITS
    }) ?? [
      { removed: true, added: false, value: [...before] },
      { removed: false, added: true, value: [...after] }
    ]
  );
}

function removedRow({ type, text }: IPart): IPartRow {
  return { type, before: text };
}

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
  return {
    added: trans.__('Added'),
    removed: trans.__('Removed'),
    changed: trans.__('Changed'),
    same: trans.__('Unchanged')
  }[kind];
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
  const names = new Map([
    [REASONINGS, trans.__('Thinking Process')],
    [TOOL_CALLS, trans.__('Tool call')],
    [TOOL_RESULTS, trans.__('Result')],
    [TEXTS, trans.__('Answer')]
  ]);
  return type === 'output'
    ? trans.__('Output')
    : (names.get(kindOf({ type })) ?? controlsVisible(type));
}

/** A piece of a text, in both versions or in one. */
export interface IPiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Texts that differ in more words, or lines, are compared less closely. */
const MAX_WORD_EDITS = 1000;

/** Return what is different between two texts: words, else lines, else the whole. */
export function diffWords(before: string, after: string): IPiece[] {
  const limit = { maxEditLength: MAX_WORD_EDITS };
  const changes =
    diffWordsWithSpace(before, after, limit) ?? diffLines(before, after, limit);
  if (changes) {
    return changes.map(piece);
  }
  return [
    { kind: 'removed', text: before },
    { kind: 'added', text: after }
  ];
}

function piece({ added, removed, value }: ChangeObject<string>): IPiece {
  const kind = added ? 'added' : removed ? 'removed' : 'same';
  return { kind, text: value };
}
