import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { contextIcon } from '../icons';
import type { IPageConnections } from '../tokens';
import { ContextModel } from './contextModel';
import { ContextView } from './contextView';
import { reactView, SidePanel } from './sidePanel';

/** The side panel with the request of the active prompt. */
export class ContextPanel extends SidePanel {
  constructor(connections: IPageConnections, trans: TranslationBundle) {
    const model = new ContextModel(connections, trans);
    super(
      {
        id: 'msgbook-context',
        look: 'msgbook-Context',
        icon: contextIcon,
        name: trans.__('Context'),
        caption: trans.__('Context: what the next message sends')
      },
      model
    );
    this.addWidget(
      reactView(model.changed, trans, () => (
        <ContextView model={model} trans={trans} />
      ))
    );
  }
}
