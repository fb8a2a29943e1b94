import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { IApprovalQuestion } from '../comm/approvalMessages';
import type { IBlock } from '../turn/model';
import { asText } from '../turn/reading';
import { argumentsGist, indentJson, visible } from '../turn/text';
import { ApprovalView } from './approvalView';
import { isWholeDiff } from './diffView';
import type { IBlockContext, IBlockView, IViewTools } from './host';
import { Disclosure, element, GrowingText, setText } from './dom';
import { ScrolledBox } from './scrolledBox';

/** View of a tool call and of the question whether it may run. */
export class CallView implements IBlockView {
  constructor(private readonly _tools: Pick<IViewTools, 'trans' | 'answer'>) {
    const { trans } = this._tools;
    const sent = element('pre', 'msgbook-Pre', this._sent.node);
    sent.setAttribute('aria-label', trans.__('Arguments of the call'));
    this._scrolled = new ScrolledBox(sent, trans);
    this._ran.setAttribute('aria-label', trans.__('Arguments that you wrote'));
    this._changed = element(
      'div',
      'msgbook-Call-changed',
      element('div', 'msgbook-Call-note', trans.__('Changed by you to:')),
      this._ran
    );
    this._folded.append(
      element('summary', 'msgbook-Call-fold', trans.__('Arguments'))
    );
    this._body.append(this._scrolled.node, this._changed);
    this.widget = new Widget({ node: this._disclosure.node });
    this.widget.disposed.connect(() => this._approval?.dispose());
    // Closed, it gives its place to the line of its step.
    this._disclosure.beforeClose(() =>
      this.widget.node.nextElementSibling
        ?.querySelector<HTMLElement>('.msgbook-mod-step > summary')
        ?.focus({ preventScroll: true })
    );
  }

  readonly widget: Widget;

  update(
    block: IBlock,
    { question, streaming }: Pick<IBlockContext, 'question' | 'streaming'>
  ): void {
    const { trans } = this._tools;
    // The question holds the call that the kernel would run, even if the turn differs.
    const name = question?.name ?? asText(block.name) ?? '?';
    const json = question?.arguments ?? asText(block.arguments) ?? '';
    const edited = question ? undefined : asText(block.edited_arguments);
    const isMessage = question?.subject === 'message';
    this._disclosure.label(
      isMessage
        ? trans.__('Your message')
        : trans.__('Call: %1', visible(name)),
      isMessage
        ? trans.__('is not sent yet')
        : callWords(block, { question, streaming }, trans)
    );
    this._disclosure.gist(argumentsGist(edited ?? json));
    this._sent.show(visible(indentJson(json)));
    this._scrolled.node.hidden = isMessage;
    this._changed.hidden = edited === undefined;
    setText(this._ran, visible(indentJson(edited ?? '')));
    this._disclosure.node.classList.toggle(
      'msgbook-mod-denied',
      block.approval === 'denied' || block.unfinished === true
    );
    if (question !== this._question) {
      this._question = question;
      this._closeQuestion(question !== undefined);
      if (question !== undefined) {
        this._openQuestion(question);
      }
    }
  }

  private _openQuestion(question: IApprovalQuestion): void {
    const { answer, trans } = this._tools;
    this._approval = new ApprovalView(
      question,
      trans,
      (choice, words) => answer(question, choice, words),
      undefined,
      [this._scrolled.more]
    );
    this._disclosure.node.classList.add('msgbook-mod-asking');
    // Such a preview, with the reason, shows all that the arguments do.
    this._fold(isWholeDiff(question.preview));
    this._disclosure.open();
    this._body.append(this._approval.node);
    this._scrolled.update();
  }

  /** @param isAskedAgain - Whether another question about the call takes its place. */
  private _closeQuestion(isAskedAgain: boolean): void {
    const node = this._approval?.node;
    const answeredHere = node?.contains(document.activeElement) === true;
    if (answeredHere) {
      this._disclosure.focus();
    }
    node?.remove();
    this._approval?.dispose();
    this._approval = null;
    this._fold(false);
    if (!isAskedAgain) {
      this._disclosure.node.classList.remove('msgbook-mod-asking');
      this._disclosure.suggestOpen(false);
      if (answeredHere) {
        this._disclosure.show();
      }
    }
  }

  /** Fold the arguments behind a line, or show them without one. */
  private _fold(folded: boolean): void {
    if (folded) {
      this._body.prepend(this._folded);
      this._folded.append(this._scrolled.node);
      this._folded.open = false;
    } else {
      this._body.prepend(this._scrolled.node);
      this._folded.remove();
    }
  }

  /** The arguments that the model sent. */
  private readonly _sent = new GrowingText();
  /** The arguments that a person wrote in their place. */
  private readonly _ran = element('pre', 'msgbook-Pre');
  private readonly _changed: HTMLElement;
  private readonly _scrolled: ScrolledBox;
  private readonly _folded = element('details', 'msgbook-Call-arguments');
  private readonly _body = element('div', 'msgbook-Call-body');
  private readonly _disclosure = new Disclosure('msgbook-Call', this._body);
  private _approval: ApprovalView | null = null;
  private _question: IApprovalQuestion | undefined;
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

/** Return who approved a call; empty where nobody was asked. */
export function approvalWords(
  approval: unknown,
  trans: TranslationBundle
): string {
  const words = new Map<unknown, string>([
    ['pending', trans.__('waits for approval')],
    ['user', trans.__('approved by you')],
    ['rule', trans.__('approved without a question')],
    ['policy', trans.__('allowed by MSGBOOK_APPROVAL=allow')],
    ['denied', trans.__('denied')]
  ]);
  return words.get(approval) ?? '';
}
