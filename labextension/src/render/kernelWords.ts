import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from '../turn/text';

/** Return a sentence that the kernel always says alike in the page's language, and any other text as it is. */
export function inPageLanguage(text: string, trans: TranslationBundle): string {
  switch (text) {
    case 'You are asked about each call that needs approval.':
      return trans.__('You are asked about each call that needs approval.');
    case 'Calls that need approval are denied (MSGBOOK_APPROVAL=deny).':
      return trans.__(
        'Calls that need approval are denied (MSGBOOK_APPROVAL=deny).'
      );
    case 'All calls run without a question (MSGBOOK_APPROVAL=allow).':
      return trans.__(
        'All calls run without a question (MSGBOOK_APPROVAL=allow).'
      );
    case 'needs approval':
      return trans.__('needs approval');
    case 'no approval':
      return trans.__('no approval');
    case "no approval in the notebook's folder":
      return trans.__("no approval in the notebook's folder");
    default:
      return text;
  }
}

/** How the kernel says that a call starts sub-agents. */
const STARTS = /^it starts (\d{1,6}) sub-agents?$/;

/** Return why a call needs approval: in the page's language if the kernel always says it alike. */
export function describeReason(
  reason: string,
  trans: TranslationBundle
): string {
  const started = STARTS.exec(reason);
  if (started !== null) {
    const count = Number(started[1]);
    return trans._n('It starts %1 sub-agent', 'It starts %1 sub-agents', count);
  }
  switch (reason) {
    case 'it runs a command on this machine':
      return trans.__('It runs a command on this machine');
    case 'it runs Python with all rights of the notebook':
      return trans.__('It runs Python with all rights of the notebook');
    default:
      return sentence(reason);
  }
}

/** Return the kernel's text, which begins in lower case, as a sentence. */
function sentence(words: string): string {
  const shown = visible(words);
  return shown.charAt(0).toUpperCase() + shown.slice(1);
}
