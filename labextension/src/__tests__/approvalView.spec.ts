import { nullTranslator } from '@jupyterlab/translation';
import { parseQuestion } from '../comm/approvalMessages';
import { handle, type IMessage } from '../comm/handlers';
import { describeReason } from '../turn/kernelWords';
import {
  ApprovalView,
  ARGUMENTS_LIMIT,
  type IsGenuine
} from '../render/approvalView';
import { DEAF } from '../render/draft';
import { ScrolledBox } from '../render/scrolledBox';
import reasons from './approvalReasons.json';
import { ASK, openQuestions } from './asked';

const trans = nullTranslator.load('msgbook');

describe('describeReason', () => {
  const chinese = {
    __: (text: string, ...values: string[]) =>
      `zh ${text}`.replace(/%(\d)/g, (_, number) => values[number - 1]),
    _n: (one: string, many: string, count: number) =>
      `zh ${count === 1 ? one : many}`.replace('%1', `${count}`)
  } as typeof trans;

  it.each([
    ['it starts 1 sub-agent', 'zh It starts 1 sub-agent'],
    ['it starts 12 sub-agents', 'zh It starts 12 sub-agents'],
    [
      'it runs a command on this machine',
      'zh It runs a command on this machine'
    ],
    ['it starts 2 sub-agents\nand', 'It starts 2 sub-agents\nand'],
    ['it changes /a/\u202eb', 'zh It changes /a/\\u202eb'],
    [
      "it changes /a, outside the notebook's folder",
      "zh zh It changes /a, outside the notebook's folder"
    ],
    ['the server says this', 'The server says this'],
    ['', '']
  ])('says %j as %j', (reason, shown) => {
    expect(describeReason(reason, chinese)).toBe(shown);
  });

  // A test of the kernel holds the list to what it says.
  it.each(reasons)('says %j in the language of the page', reason => {
    const shown = describeReason(reason, chinese);
    expect(shown).toMatch(/^zh /);
    expect(shown.replace(/zh /g, '')).toMatch(/^[A-Z]/);
  });
});

describe('ApprovalView', () => {
  function fixture(isGenuine?: IsGenuine, ask: IMessage = ASK) {
    const answers: [string, string][] = [];
    const view = new ApprovalView(
      parseQuestion(ask)!,
      trans,
      (choice, reason) => void answers.push([choice, reason]),
      isGenuine
    );
    document.body.append(view.node);
    const buttons = Array.from(
      view.node.querySelectorAll<HTMLButtonElement>('.msgbook-Approval-button')
    );
    const button = (label: string) =>
      buttons.find(({ textContent }) => textContent === label)!;
    const why = view.node.querySelector('input')!;
    return { view, answers, buttons, button, why };
  }

  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
    document.body.replaceChildren();
  });

  it('is deaf to a script', () => {
    const { answers, buttons } = fixture();
    jest.advanceTimersByTime(DEAF);
    buttons.forEach(button => button.click());
    expect(answers).toEqual([]);
  });

  it('is deaf to a click that was on its way when it came', () => {
    const { answers, button } = fixture(() => true);
    jest.advanceTimersByTime(DEAF - 1);
    button('Approve').click();
    expect(answers).toEqual([]);
    jest.advanceTimersByTime(1);
    button('Approve').click();
    button('Deny').click();
    expect(answers).toEqual([['once', '']]);
  });

  it.each([
    ['opens', { ...ASK, request_id: 'r2' }],
    ['is answered elsewhere', { type: 'approval.closed', request_id: 'r1' }]
  ])('is deaf again when another question %s, since it moves', (_, message) => {
    const { approvals, ask } = openQuestions();
    ask();
    const { answers, button } = fixture(() => true);
    jest.advanceTimersByTime(DEAF);
    const approve = button('Approve');
    approve.focus();
    handle(approvals.handlers, message);
    expect(approve.disabled).toBe(true);
    approve.click();
    jest.advanceTimersByTime(DEAF - 1);
    expect(approve.disabled).toBe(true);
    expect(answers).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(document.activeElement).toBe(approve);
    approve.click();
    expect(answers).toEqual([['once', '']]);
  });

  it('takes a reason for a denial, with the Enter key too', () => {
    const { answers, why } = fixture(() => true);
    jest.advanceTimersByTime(DEAF);
    why.value = ' not that one ';
    why.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
    why.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    expect(answers).toEqual([['no', 'not that one']]);
  });

  it('disables its buttons until they may be used, and says so', () => {
    const { view, buttons } = fixture();
    const said = view.node.querySelector('[role=status]')!;
    expect(buttons.every(({ disabled }) => disabled)).toBe(true);
    expect(said.textContent).toContain('cannot be used');
    jest.advanceTimersByTime(DEAF);
    expect(buttons.some(({ disabled }) => disabled)).toBe(false);
    expect(said.textContent).toBe('The buttons can be used now.');
  });

  it('takes other arguments, once', () => {
    const asked = { ...ASK, choices: ['once', 'edit', 'no'] };
    const { view, answers, button } = fixture(() => true, asked);
    jest.advanceTimersByTime(DEAF);
    button('Change the arguments').click();
    const text = view.node.querySelector('textarea')!;
    expect(JSON.parse(text.value)).toEqual(JSON.parse(ASK.arguments));
    text.value = '{"path": "b.txt"}';
    const ask = view.node.querySelector<HTMLButtonElement>(
      '.msgbook-Approval-form button'
    )!;
    ask.click();
    ask.click();
    expect(answers).toEqual([['edit', '{"path": "b.txt"}']]);
  });

  it('sends no arguments that are longer than the kernel takes, and keeps them', () => {
    const asked = { ...ASK, choices: ['once', 'edit', 'no'] };
    const { view, answers, button } = fixture(() => true, asked);
    jest.advanceTimersByTime(DEAF);
    button('Change the arguments').click();
    const text = view.node.querySelector('textarea')!;
    const ask = view.node.querySelector<HTMLButtonElement>(
      '.msgbook-Approval-form button'
    )!;
    text.value = 'x'.repeat(ARGUMENTS_LIMIT + 1);
    ask.click();
    expect(answers).toEqual([]);
    expect(view.node.querySelector('textarea')).toBe(text);
    expect(
      view.node.querySelector('[role=alert].msgbook-Approval-problem')
        ?.textContent
    ).toContain('1,000,001');
    text.value = '{}';
    ask.click();
    expect(answers).toEqual([['edit', '{}']]);
  });

  it('keeps what was written when it is made again, and shows it in each view', () => {
    const question = parseQuestion({ ...ASK, choices: ['no', 'edit'] })!;
    const [one, other] = [0, 1].map(
      () =>
        new ApprovalView(
          question,
          trans,
          () => {},
          () => true
        )
    );
    const texts = (view: ApprovalView) =>
      Array.from(
        view.node.querySelectorAll<HTMLInputElement>('input, textarea')
      ).map(({ value }) => value);
    const write = (view: ApprovalView, selector: string, text: string) => {
      const input = view.node.querySelector<HTMLInputElement>(selector)!;
      input.value = text;
      input.dispatchEvent(new Event('input'));
    };
    jest.advanceTimersByTime(DEAF);
    write(one, 'input', 'not th');
    const buttons = one.node.querySelectorAll('button');
    Array.from(buttons).at(-1)!.click();
    write(other, 'textarea', '{"pa');
    for (const view of [
      one,
      other,
      new ApprovalView(question, trans, () => {})
    ]) {
      expect(texts(view)).toEqual(['not th', '{"pa']);
    }
    const cancel = other.node.querySelectorAll('.msgbook-Approval-form button');
    (cancel[1] as HTMLElement).click();
    expect(texts(one)).toEqual(['not th']);
  });

  it('goes on with what did not fit, and says why', () => {
    const { view } = fixture(undefined, {
      ...ASK,
      choices: ['once', 'edit', 'no'],
      draft: '{"pa',
      problem: 'These do not fit \u202e.'
    });
    expect(view.node.querySelector('textarea')!.value).toBe('{"pa');
    expect(view.node.textContent).toContain('These do not fit \\u202e.');
  });

  it('offers the wider choices only where the kernel does', () => {
    const { buttons } = fixture(undefined, { ...ASK, choices: ['once', 'no'] });
    expect(buttons.map(button => button.textContent)).toEqual([
      'Approve',
      'Deny'
    ]);
    expect(fixture().buttons).toHaveLength(4);
  });

  it('says that it is there, and keeps the keys of the notebook out', () => {
    const { view } = fixture();
    expect(view.node.getAttribute('role')).toBe('group');
    expect(view.node.querySelector('[role=alert]')?.textContent).toContain(
      'It changes a file'
    );
    expect(view.node.hasAttribute('data-lm-suppress-shortcuts')).toBe(true);
    expect(document.activeElement).toBe(document.body);
  });

  it('shows hidden characters', () => {
    const { view } = fixture(undefined, {
      ...ASK,
      name: 'write\u202e',
      reason: 'a\u202eb<b>',
      preview: '+\u200bx\u202e'
    });
    expect(view.node.textContent).toContain('A\\u202eb<b>');
    expect(view.node.textContent).toContain('+\\u200bx\\u202e');
    expect(view.node.getAttribute('aria-label')).toContain('\\u202e');
  });
});

describe('what is out of sight', () => {
  function boxOf(scrollHeight: number): HTMLElement {
    const box = document.createElement('pre');
    const sizes = { scrollHeight, clientHeight: 100 };
    for (const [name, value] of Object.entries(sizes)) {
      Object.defineProperty(box, name, {
        get: () =>
          name === 'clientHeight' && box.matches('.msgbook-mod-whole')
            ? scrollHeight
            : value
      });
    }
    box.style.lineHeight = '10px';
    return box;
  }

  it('is counted, less by what was scrolled, and none at the end', () => {
    const box = boxOf(1100);
    const { more } = new ScrolledBox(box, trans);
    expect(more.textContent).toContain('100 more lines below');
    box.scrollTop = 990;
    box.dispatchEvent(new Event('scroll'));
    expect(more.textContent).toContain('1 more line below');
    box.scrollTop = 1000;
    box.dispatchEvent(new Event('scroll'));
    expect(more.parentNode).toBeNull();
  });

  it('is shown by its button', () => {
    const box = boxOf(1100);
    const { more } = new ScrolledBox(box, trans);
    more.click();
    expect(box.classList).toContain('msgbook-mod-whole');
    expect(more.parentNode).toBeNull();
  });

  it.each([
    ['is', 1100, 0],
    ['is not, with nothing to scroll,', 100, -1]
  ])('%s a stop of the Tab key', (_, height, tabIndex) => {
    const box = boxOf(height);
    new ScrolledBox(box, trans);
    expect(box.tabIndex).toBe(tabIndex);
  });

  it('is said to who has the buttons read out', () => {
    const question = parseQuestion(ASK)!;
    const { more } = new ScrolledBox(boxOf(1100), trans);
    const { node } = new ApprovalView(question, trans, () => {}, undefined, [
      more
    ]);
    for (const button of node.querySelectorAll('.msgbook-Approval-button')) {
      expect(button.getAttribute('aria-describedby')).toContain(more.id);
    }
  });

  it('of a long diff is nothing but what is scrolled', () => {
    const preview = `@@ -0,0 +1 @@\n${'+x\n'.repeat(100_000)}`;
    const question = parseQuestion({ ...ASK, preview })!;
    const { node } = new ApprovalView(question, trans, () => {});
    expect(node.querySelector('.msgbook-Diff')?.textContent).toBe(preview);
  });

  it('of what is no diff offers no second column', () => {
    for (const [preview, toggles] of [
      ['1. Agent assistant; its task:\n   - count', 0],
      ['@@ -0,0 +1 @@\n+x\n', 1]
    ] as const) {
      const question = parseQuestion({ ...ASK, preview })!;
      const { node } = new ApprovalView(question, trans, () => {});
      expect(node.querySelectorAll('.msgbook-Diff-toggle')).toHaveLength(
        toggles
      );
    }
  });
});
