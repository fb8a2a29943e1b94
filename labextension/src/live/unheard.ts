import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { copyText } from '../render/copyText';
import type { IUnheard } from './approvals';

/** Tell a person that what they wanted of a question did not count, and offer what they wrote. */
export function tellUnheard(
  { isAnswer, words }: IUnheard,
  trans: TranslationBundle
): void {
  const told = isAnswer
    ? trans.__(
        'Your answer did not count: the call had been decided on another page, or its turn had ended.'
      )
    : trans.__(
        'The call was decided on another page, or its turn ended. What you were writing was not sent.'
      );
  const copy = {
    label: trans.__('Copy what you wrote'),
    callback: () => copyText(words)
  };
  Notification.warning(told, {
    autoClose: false,
    actions: words === '' ? [] : [copy]
  });
}
