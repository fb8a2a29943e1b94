import { nullTranslator } from '@jupyterlab/translation';
import { parseQuestion } from '../comm/approvalMessages';
import { CallView } from '../render/callView';
import { ASK } from './asked';

const DIFF = ASK.preview;
/** As the kernel ends a diff that it cuts. */
const CUT = `[Only 9 of the 12 characters of this diff are shown]\n${DIFF}\n[... 3 more characters]`;

it.each([
  ['a diff', DIFF, true],
  ['a diff below a note', `[UTF-8, LF] -> [UTF-8, CRLF]\n${DIFF}`, true],
  ['a last line without an end', `${DIFF}\\ No newline at end of file\n`, true],
  ['a diff that is cut', CUT, false],
  ['what would be done', '1. Agent writer; its task:\n  Write it', false],
  ['nothing', '', false]
])('%s stands in place of the arguments: %#', (_, preview, isFolded) => {
  const trans = nullTranslator.load('msgbook');
  const view = new CallView({ trans, answer: () => true });
  const question = parseQuestion({ ...ASK, preview })!;
  view.update({ type: 'tool_call' }, { question, streaming: true });
  const sent = view.widget.node.querySelector('pre')!;
  expect(sent.getAttribute('aria-label')).toBe('Arguments of the call');
  expect(sent.closest('details:not([open])') !== null).toBe(isFolded);
  view.widget.dispose();
});
