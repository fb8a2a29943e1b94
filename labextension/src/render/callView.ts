import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { IApprovalQuestion } from '../comm/approvalMessages';
import { asText, type IBlock } from '../turn/model';
import { argumentsGist, indentJson, visible } from '../turn/text';
import { ApprovalView } from './approvalView';
import type { IBlockContext, IBlockView, IViewTools } from './blockView';
import { Disclosure, element, GrowingText, setText } from './dom';
import { ScrolledBox } from './scrolledBox';

/** Create a view of a tool call and of the question whether it may run. */
export function callView({
  trans,
  answer
}: Pick<IViewTools, 'trans' | 'answer'>): IBlockView {
  const content = new GrowingText();
  const sent = element('pre', 'msgbook-Pre', content.node);
  sent.setAttribute('aria-label', trans.__('Arguments of the call'));
  const scrolled = new ScrolledBox(sent, trans);
  const ran = element('pre', 'msgbook-Pre');
  ran.setAttribute('aria-label', trans.__('Arguments that you wrote'));
  const changed = element(
    'div',
    'msgbook-Call-changed',
    element('div', 'msgbook-Call-note', trans.__('Changed by you to:')),
    ran
  );
  const body = element('div', 'msgbook-Call-body', scrolled.node, changed);
  const disclosure = new Disclosure('msgbook-Call', body);
  const { classList } = disclosure.node;
  let asked: IApprovalQuestion | undefined;
  const ask = (question: IApprovalQuestion | undefined) => {
    if (question === asked) {
      return;
    }
    asked = question;
    const before = body.querySelector('.msgbook-Approval');
    const answeredHere = before?.contains(document.activeElement) === true;
    if (answeredHere) {
      disclosure.focus();
    }
    before?.remove();
    classList.toggle('msgbook-mod-asking', question !== undefined);
    if (question === undefined) {
      disclosure.suggestOpen(false);
      if (answeredHere) {
        disclosure.show();
      }
      return;
    }
    const view = new ApprovalView(
      question,
      trans,
      (choice, reason) => answer(question, choice, reason),
      undefined,
      [scrolled.more]
    );
    disclosure.open();
    body.append(view.node);
    scrolled.update();
  };
  return {
    widget: new Widget({ node: disclosure.node }),
    update: (block, { question, streaming }) => {
      // The question holds the call that the kernel would run, even if the turn differs.
      const name = question?.name ?? asText(block.name) ?? '?';
      const json = question?.arguments ?? asText(block.arguments) ?? '';
      const edited = question ? undefined : asText(block.edited_arguments);
      disclosure.label(
        `🔧 ${trans.__('Call: %1', visible(name))}`,
        callWords(block, { question, streaming }, trans)
      );
      disclosure.gist(argumentsGist(edited ?? json));
      content.show(visible(indentJson(json)));
      changed.hidden = edited === undefined;
      setText(ran, visible(indentJson(edited ?? '')));
      classList.toggle(
        'msgbook-mod-denied',
        block.approval === 'denied' || block.unfinished === true
      );
      ask(question);
    }
  };
}

function callWords(
  block: IBlock,
  { question, streaming }: Pick<IBlockContext, 'question' | 'streaming'>,
  trans: TranslationBundle
): string {
  if (question !== undefined) {
    return trans.__('waits for your approval');
  }
  if (block.approval === 'pending' && !streaming) {
    return trans.__('was not approved');
  }
  return block.unfinished === true
    ? trans.__('cut off, not run')
    : approvalWords(block.approval, trans);
}

function approvalWords(approval: unknown, trans: TranslationBundle): string {
  switch (approval) {
    case 'pending':
      return trans.__('waits for approval');
    case 'user':
      return trans.__('approved by you');
    case 'rule':
      return trans.__('approved without a question');
    case 'denied':
      return trans.__('denied');
    default:
      return '';
  }
}
