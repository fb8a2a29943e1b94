import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { Panel } from '@lumino/widgets';
import React from 'react';

import { approvalsIcon } from '../icons';
import type { IPageConnections } from '../tokens';
import { Boundary } from './boundary';
import { OpenQuestions, QuestionList, type GoTo } from './questionList';
import { RulesModel } from './rulesModel';
import { RulesView } from './rulesView';

/** Key of the number of questions in the data of the panel's tab. */
const COUNT = 'msgbook-count';

/**
 * The side panel with the questions of all notebooks and the approval rules.
 *
 * Its tab counts the questions. While the panel is hidden, it does nothing else.
 */
export class ApprovalsPanel extends Panel {
  constructor(
    connections: IPageConnections,
    trans: TranslationBundle,
    goTo: GoTo
  ) {
    super();
    this._trans = trans;
    this._open = new OpenQuestions(connections);
    this._list = new QuestionList(this._open, trans, goTo);
    this._model = new RulesModel(connections);
    this.id = 'msgbook-approvals';
    this.addClass('msgbook-Approvals');
    this.title.icon = approvalsIcon;
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Approvals'));
    this.addWidget(this._list);
    this.addWidget(
      ReactWidget.create(
        <UseSignal signal={this._model.changed}>
          {() => (
            <Boundary trans={trans}>
              <RulesView model={this._model} trans={trans} />
            </Boundary>
          )}
        </UseSignal>
      )
    );
    this._open.changed.connect(this._count, this);
    this._count();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._start();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this._start();
    }
  }

  protected override onBeforeHide(message: Message): void {
    this._stop();
    super.onBeforeHide(message);
  }

  protected override onBeforeDetach(message: Message): void {
    this._stop();
    super.onBeforeDetach(message);
  }

  private _start(): void {
    if (!this._isRunning) {
      this._isRunning = true;
      this._list.start();
      this._model.start();
    }
  }

  private _stop(): void {
    if (this._isRunning) {
      this._isRunning = false;
      this._list.stop();
      this._model.stop();
    }
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
  private readonly _list: QuestionList;
  private readonly _model: RulesModel;
  private _isRunning = false;
}
