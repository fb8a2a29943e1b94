import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { approvalsIcon } from '../icons';
import type { IPageConnections } from '../tokens';
import { OpenQuestions, QuestionList, type GoTo } from './questionList';
import { RulesModel } from './rulesModel';
import { RulesView } from './rulesView';
import { reactView, SidePanel } from './sidePanel';

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
