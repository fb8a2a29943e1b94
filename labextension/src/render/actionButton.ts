import type { Act, TurnAction } from './host';
import { element } from './dom';

/** Return a button that does something with a turn; it is disabled until that is done. */
export function actionButton(
  label: string,
  name: string,
  act: Act,
  action: TurnAction
): HTMLButtonElement {
  const button = element('button', 'msgbook-Action', label);
  button.type = 'button';
  button.setAttribute('aria-label', name);
  button.addEventListener('click', event => {
    event.preventDefault();
    event.stopPropagation();
    button.disabled = true;
    void act(action).finally(() => {
      button.disabled = false;
    });
  });
  return button;
}
