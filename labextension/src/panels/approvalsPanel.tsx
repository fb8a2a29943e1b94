import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { approvalsIcon } from '../icons';
import type { IPageConnections } from '../tokens';
import { RulesModel } from './rulesModel';
import { RulesView } from './rulesView';
import { reactView, SidePanel } from './sidePanel';
import { type ISignal, Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { IApprovalQuestion } from '../comm/approvalMessages';
import type { PageConnection } from '../live/pageConnection';
import { CallView } from '../render/callView';
import { button, element } from '../render/dom';
import { TOOL_CALLS } from '../turn/kinds';
import { controlsVisible } from '../turn/text';

/** Key of the number of questions in the data of the panel's tab. */
const COUNT = 'msgbook-count';

/**
 * The side panel with the questions of all notebooks and the approval rules.
 *
 * Its tab counts the questions, also while the panel is hidden.
 */
export class ApprovalsPanel extends SidePanel {
  constructor(
    connections: IPageConnections,
    trans: TranslationBundle,
    goTo: GoTo
  ) {
    const open = new OpenQuestions(connections);
    const list = new QuestionList(open, trans, goTo);
    const model = new RulesModel(connections);
    super(
      {
        id: 'msgbook-approvals',
        look: 'msgbook-Approvals',
        icon: approvalsIcon,
        name: trans.__('Approvals')
      },
      list,
      model
    );
    this._trans = trans;
    this._open = open;
    this.addWidget(list);
    this.addWidget(
      reactView(model.changed, trans, () => (
        <RulesView model={model} trans={trans} />
      ))
    );
    open.changed.connect(this._count, this);
    this._count();
  }

  private _count(): void {
    const count = this._open.all.length;
    // The shell keeps the tab's id there.
    const dataset = { ...this.title.dataset };
    delete dataset[COUNT];
    this.title.dataset =
      count === 0 ? dataset : { ...dataset, [COUNT]: String(count) };
    this.title.caption =
      count === 0
        ? this._trans.__('Approvals')
        : this._trans._n(
            'Approvals: %1 call waits for you',
            'Approvals: %1 calls wait for you',
            count
          );
  }

  private readonly _trans: TranslationBundle;
  private readonly _open: OpenQuestions;
}

/** Shows a question where it was asked. */
export type GoTo = (
  connection: PageConnection,
  question: IApprovalQuestion
) => void;

/** The open questions of all notebooks, and how many there are. */
export class OpenQuestions {
  constructor(connections: IPageConnections) {
    this._connections = connections;
    connections.all.forEach(connection => this._add(connection));
    connections.added.connect((_, connection) => this._add(connection));
  }

  /** Emitted when a question was opened or closed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The questions, each with the connection of its notebook. */
  get all(): [PageConnection, IApprovalQuestion][] {
    return this._connections.all.flatMap(connection =>
      connection.approvals.all.map(
        (question): [PageConnection, IApprovalQuestion] => [
          connection,
          question
        ]
      )
    );
  }

  private _add(connection: PageConnection): void {
    const change = () => this._changed.emit();
    connection.approvals.changed.connect(change);
    connection.panel.disposed.connect(change);
  }

  private readonly _connections: IPageConnections;
  private readonly _changed = new Signal<this, void>(this);
}

/** The list of the open questions of all notebooks, each with its buttons. */
export class QuestionList extends Widget {
  constructor(questions: OpenQuestions, trans: TranslationBundle, goTo: GoTo) {
    super();
    this._questions = questions;
    this._trans = trans;
    this._goTo = goTo;
    this.addClass('msgbook-Questions');
    // The calls look as in their turns.
    this._list.classList.add('msgbook-Turn');
    this._none.textContent = trans.__('No call waits for your approval.');
    this.node.append(
      element('h3', '', trans.__('Questions')),
      this._none,
      this._list
    );
  }

  /** Show the questions, now and as they change. */
  start(): void {
    this._questions.changed.connect(this._show, this);
    this._show();
  }

  /**
   * Listen no more. The questions stay as they are, also what was written about them: JupyterLab
   * hides all panels for a moment when it changes the theme.
   */
  stop(): void {
    this._questions.changed.disconnect(this._show, this);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.stop();
      Array.from(this._entries.keys()).forEach(one => this._remove(one));
      super.dispose();
    }
  }

  private _show(): void {
    const open = this._questions.all;
    const asked = new Set(open.map(([, question]) => question));
    for (const question of Array.from(this._entries.keys())) {
      if (!asked.has(question)) {
        this._remove(question);
      }
    }
    for (const [connection, question] of open) {
      if (!this._entries.has(question)) {
        this._add(connection, question);
      }
    }
    this._none.hidden = open.length > 0;
  }

  private _add(connection: PageConnection, question: IApprovalQuestion): void {
    const trans = this._trans;
    // A hidden list keeps its entries, and no notebook that is closed meanwhile.
    const chat = new WeakRef(connection);
    const view = new CallView({
      trans,
      answer: (one, choice, words) => chat.deref()?.answer(one, choice, words)
    });
    view.update({ type: TOOL_CALLS.name }, { streaming: true, question });
    const path = controlsVisible(connection.panel.context.path);
    const words = trans.__('Go to the cell in %1', path.split('/').pop()!);
    const link = button('msgbook-Question-where', words, () => {
      const asking = chat.deref();
      if (asking !== undefined) {
        this._goTo(asking, question);
      }
    });
    link.title = path;
    const node = element('section', 'msgbook-Question', link, view.widget.node);
    this._list.append(node);
    this._entries.set(question, { node, view });
  }

  private _remove(question: IApprovalQuestion): void {
    const entry = this._entries.get(question);
    if (entry !== undefined) {
      const focused = entry.node.contains(document.activeElement);
      entry.node.remove();
      entry.view.widget.dispose();
      this._entries.delete(question);
      if (focused) {
        this.node.tabIndex = -1;
        this.node.focus({ preventScroll: true });
      }
    }
  }

  private readonly _questions: OpenQuestions;
  private readonly _trans: TranslationBundle;
  private readonly _goTo: GoTo;
  private readonly _none = element('p', 'msgbook-Questions-none');
  private readonly _list = element('div', 'msgbook-Questions-list');
  private readonly _entries = new Map<
    IApprovalQuestion,
    { node: HTMLElement; view: CallView }
  >();
}
