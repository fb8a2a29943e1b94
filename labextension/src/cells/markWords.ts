import type { TranslationBundle } from '@jupyterlab/translation';

import { controlsVisible, visible } from '../turn/text';
import type { ICellFacts } from './cellFacts';

/** Characters of a summary that a cell shows. */
const GIST_LENGTH = 200;

/** Return what the model gets of a cell; empty for an empty cell. */
export function markWords(
  { kind, history, role }: ICellFacts,
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'empty':
      return '';
    case 'raw':
      return trans.__('The model does not get this cell.');
    case 'magic':
      return trans.__(
        'This cell steers the conversation. The model does not get it.'
      );
    case 'prompt':
      return {
        include: trans.__('The model gets this message and its answer.'),
        exclude: trans.__(
          'The model gets neither this message nor its answer.'
        ),
        summary: trans.__(
          'The model gets a summary of this message and its answer.'
        )
      }[history];
    case 'code':
      return {
        include: trans.__('The model gets this code and its output.'),
        exclude: trans.__('The model gets neither this code nor its output.'),
        summary: trans.__(
          'The model gets a summary of this code and its output.'
        )
      }[history];
    case 'note':
      return {
        include:
          role === undefined
            ? trans.__('The model gets this note.')
            : trans.__('The model gets this note as “%1”.', visible(role)),
        exclude: trans.__('The model does not get this note.'),
        summary: trans.__('The model gets a summary of this note.')
      }[history];
  }
}

/** Return what a line below the input says; empty for a cell that is as usual. */
export function noteWords(facts: ICellFacts, trans: TranslationBundle): string {
  const { history, summary, agent, model } = facts;
  const parts = [
    agent === undefined ? '' : trans.__('Agent: %1', visible(agent)),
    model === undefined ? '' : trans.__('Model: %1', visible(model)),
    exclusionWords(facts, trans),
    history === 'summary' ? summaryWords(summary, trans) : ''
  ];
  return parts.filter(part => part !== '').join(' · ');
}

/** Notes for readers alone are nothing unusual. */
function exclusionWords(
  { kind, history }: ICellFacts,
  trans: TranslationBundle
): string {
  if (history !== 'exclude' || kind === 'empty') {
    return '';
  }
  return kind === 'note'
    ? trans.__('For readers, not sent to the model')
    : trans.__('Excluded');
}

function summaryWords(
  summary: string | undefined,
  trans: TranslationBundle
): string {
  if (summary === undefined) {
    return trans.__('Sent as a summary, which the next request makes');
  }
  const gist = summary.slice(0, GIST_LENGTH).replace(/\s+/g, ' ').trim();
  return trans.__('Sent as a summary: %1', controlsVisible(gist));
}
