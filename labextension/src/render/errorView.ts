import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { failureOf, type Remedy } from '../turn/failures';
import { asText } from '../turn/model';
import { controlsVisible } from '../turn/text';
import { actionButton } from './actionButton';
import type { IBlockView, IViewTools } from './blockView';
import { element } from './dom';
import type { Act } from './host';

/** Return a view of an error: what happened, what the server said, and what a person can do. */
export function errorView({
  trans,
  act,
  connectModel
}: Pick<IViewTools, 'trans' | 'act' | 'connectModel'>): IBlockView {
  const node = element('div', 'msgbook-Error');
  let shown = '';
  return {
    widget: new Widget({ node }),
    update: block => {
      const name = controlsVisible(asText(block.name) ?? trans.__('Error'));
      const message = controlsVisible(asText(block.message) ?? '');
      if (shown === `${name}\n${message}`) {
        return;
      }
      // A button that has the focus stays.
      shown = `${name}\n${message}`;
      const { words, remedies } = failureOf(name, trans);
      const said = element(
        'div',
        'msgbook-Error-said',
        element('strong', 'msgbook-Error-name', name),
        message === '' ? '' : `: ${message}`
      );
      const buttons = remedies
        .map(remedy => remedyButton(remedy, trans, act, connectModel))
        .filter(button => button !== null);
      node.replaceChildren(
        ...(words === '' ? [] : [element('div', 'msgbook-Error-words', words)]),
        said,
        ...(buttons.length === 0
          ? []
          : [element('div', 'msgbook-Error-remedies', ...buttons)])
      );
    }
  };
}

function remedyButton(
  remedy: Remedy,
  trans: TranslationBundle,
  act: Act | null,
  connectModel: (() => void) | undefined
): HTMLButtonElement | null {
  if (remedy === 'connect') {
    const label = trans.__('Connect a Model…');
    return connectModel === undefined
      ? null
      : actionButton(label, label, () => Promise.resolve(connectModel()));
  }
  if (act === null) {
    return null;
  }
  const [label, title] =
    remedy === 'again'
      ? [trans.__('Try again'), trans.__('Send this message again')]
      : [
          trans.__('Choose another model'),
          trans.__('Choose the model, and send this message again')
        ];
  const button: HTMLButtonElement = actionButton(label, label, () =>
    act(
      remedy === 'again' ? { kind: 'again' } : { kind: 'model', anchor: button }
    )
  );
  button.title = title;
  if (remedy === 'model') {
    button.setAttribute('aria-haspopup', 'dialog');
  }
  return button;
}
