import { MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { JSONValue } from '@lumino/coreutils';
import { Panel, Widget } from '@lumino/widgets';

import { Disclosure, element } from '../render/dom';
import { turnRendererFactory } from '../render/factory';
import { safeMarkdown } from '../safe/markdown';
import { TURN_MIME } from '../turn/model';
import { controlsVisible } from '../turn/text';
import { isSameAnswer, type IChatCell } from './chatCell';
import { diffParts, type IPartRow } from './parts';
import type { IRow } from './rows';
import { partWords, rowWords } from './wording';
import { diffWords, type IPiece } from './words';

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
      part.type === 'text'
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
