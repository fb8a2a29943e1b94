import type { TranslationBundle } from '@jupyterlab/translation';

import { hasAnswer, type ITurn } from '../turn/model';
import type { ShownStatus } from '../turn/wording';
import { actionButton } from './actionButton';
import { element } from './dom';
import type { Act } from './host';

/** A button where an answer broke off, which gets the rest of it. */
export class ContinueLine {
  constructor(trans: TranslationBundle, act: Act | null) {
    this._act = act;
    this.node.hidden = true;
    if (act !== null) {
      this.node.append(
        actionButton(
          trans.__('Continue'),
          trans.__('Continue this answer in a new cell below'),
          () => act({ kind: 'continue' })
        )
      );
    }
  }

  readonly node = element('div', 'msgbook-Continue');

  show(turn: ITurn, status: ShownStatus, isContinued: boolean): void {
    this.node.hidden =
      this._act === null || isContinued || !canContinue(turn, status);
  }

  private readonly _act: Act | null;
}

/** Return whether `%continue` below a turn would get the rest of it. */
function canContinue(turn: ITurn, status: ShownStatus): boolean {
  return (
    hasAnswer(turn) &&
    (status === 'incomplete' || status === 'interrupted' || status === 'error')
  );
}
