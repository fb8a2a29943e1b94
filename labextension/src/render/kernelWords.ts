import type { TranslationBundle } from '@jupyterlab/translation';

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
