import { element } from './dom';

/** Return a button that does something with a turn; it is disabled until that is done. */
export function actionButton(
  label: string,
  name: string,
  act: () => Promise<void>
): HTMLButtonElement {
  const button = element('button', 'msgbook-Action', label);
  button.type = 'button';
  button.setAttribute('aria-label', name);
  button.addEventListener('click', event => {
    event.preventDefault();
    event.stopPropagation();
    button.disabled = true;
    void act().finally(() => {
      button.disabled = false;
    });
  });
  return button;
}
