import { JSONExt, type JSONObject } from '@lumino/coreutils';
import type { IApprovalQuestion } from '../comm/approvalMessages';
import { askerId, type IAgentRows, type IShownAgent } from '../turn/agentRows';
import { TOOL_CALLS } from '../turn/kinds';
import { aboutOf } from '../turn/shownFacts';
import { shownText } from '../turn/text';
import { statusWords } from '../turn/wording';
import { actionButton, element, setText } from './dom';
import type { IViewTools } from './host';
import { CallView } from './callView';

/**
 * List of the sub-agents that a call started, each with a link to its conversation and with its
 * questions.
 *
 * A row that did not change is not touched, and neither is a question while it is open.
 */
export class AgentList {
  constructor(private readonly _tools: IViewTools) {
    this.node.setAttribute('aria-label', this._tools.trans.__('Sub-agents'));
    this.node.append(this._further);
    this.node.hidden = true;
  }

  readonly node = element('ul', 'msgbook-Agents');

  /**
   * @param questions - The kernel's questions about calls of these sub-agents.
   * @param tasks - The tasks of all rows, as far as they are known.
   */
  update(
    { rows, ids, further }: IAgentRows,
    questions: readonly IApprovalQuestion[],
    tasks: readonly string[] = []
  ): void {
    this.node.hidden = rows.length === 0;
    this._rows.splice(rows.length).forEach(row => row.dispose());
    for (const [index, row] of rows.entries()) {
      if (this._rows[index] === undefined) {
        this._rows[index] = new AgentRow(this._tools);
        this.node.insertBefore(this._rows[index].node, this._further);
      }
      const asked = questions.filter(
        ({ callId }) => ids[index] === askerId(callId)
      );
      this._rows[index].update(row, ids[index], asked, tasks[index] ?? '');
    }
    this._further.hidden = further === 0;
    const words = this._tools.trans.__('… and %1 more', further);
    setText(this._further, further === 0 ? '' : words);
  }

  dispose(): void {
    this._rows.splice(0).forEach(row => row.dispose());
  }

  private readonly _rows: AgentRow[] = [];
  private readonly _further = element('li', 'msgbook-Agent-further');
}

/** One sub-agent. */
class AgentRow {
  constructor(private readonly _tools: IViewTools) {
    this._dot.setAttribute('aria-hidden', 'true');
    const line = element(
      'div',
      'msgbook-Agent-line',
      this._dot,
      this._name,
      this._agent,
      this._status,
      this._facts,
      this._progress,
      this._stop
    );
    this.node = element(
      'li',
      'msgbook-Agent',
      line,
      this._last,
      this._questions
    );
  }

  readonly node: HTMLElement;

  update(
    row: IShownAgent,
    id: string | null,
    questions: readonly IApprovalQuestion[],
    task: string
  ): void {
    this._ask(questions);
    const shown = { ...row, id, task, asked: questions.length > 0 };
    if (JSONExt.deepEqual(this._shown, shown)) {
      return;
    }
    this._shown = shown as unknown as JSONObject;
    const { trans } = this._tools;
    this.node.dataset.status = row.status;
    this._showName(row, task);
    setText(this._agent, row.agent === row.name ? '' : shownText(row.agent));
    setText(
      this._status,
      shown.asked ? trans.__('waiting for you') : statusWords(row.status, trans)
    );
    setText(this._facts, row.facts.join(' · '));
    setText(this._last, shownText(row.last));
    this._showProgress(row);
    this._showStop(row, id);
  }

  /** Show that a sub-agent runs; how far it is, its model alone knows. */
  private _showProgress({ name, status, facts }: IShownAgent): void {
    const { trans } = this._tools;
    if (status !== 'running' || this._shown?.asked === true) {
      this._progress.replaceChildren();
      return;
    }
    if (this._progress.firstChild === null) {
      this._progress.append(element('progress', ''));
    }
    const bar = this._progress.firstElementChild!;
    const words = trans.__('Progress of the sub-agent %1', shownText(name));
    bar.setAttribute('aria-label', words);
    bar.setAttribute('aria-valuetext', facts.join(', '));
  }

  /** Offer to stop a sub-agent that is under way. */
  private _showStop({ name, status }: IShownAgent, uuid: string | null): void {
    const { act, trans } = this._tools;
    const runs = status === 'running' || status === 'pending';
    if (act === null || uuid === null || !runs) {
      this._stop.replaceChildren();
    } else if (this._stop.firstChild === null) {
      const words = trans.__('Stop the sub-agent %1', shownText(name));
      const action = { kind: 'stop', uuid } as const;
      this._stop.append(
        actionButton(trans.__('Stop'), words, () => act(action))
      );
    }
  }

  dispose(): void {
    this._ask([]);
    this.node.remove();
  }

  private _showName({ name, file }: IShownAgent, task: string): void {
    const text = aboutOf(shownText(name), shownText(task));
    if (file !== this._file || this._name.firstChild === null) {
      this._file = file;
      this._name.replaceChildren(this._link(file) ?? element('span', ''));
    }
    setText(this._name.firstChild!, text);
    this._name.title = text;
  }

  private _link(file: string | null): HTMLElement | null {
    const conversation = file === null ? null : this._tools.conversation(file);
    if (conversation === null) {
      return null;
    }
    const link = element('a', 'msgbook-Agent-link');
    link.href = conversation.url;
    link.addEventListener('click', event => {
      // With a modifier, the browser opens a tab or window.
      if (!(event.ctrlKey || event.metaKey || event.shiftKey)) {
        event.preventDefault();
        conversation.open();
      }
    });
    return link;
  }

  private _ask(questions: readonly IApprovalQuestion[]): void {
    for (const [question, view] of Array.from(this._views)) {
      if (!questions.includes(question)) {
        const { node } = view.widget;
        const answeredHere = node.contains(document.activeElement);
        if (answeredHere) {
          this._name.querySelector('a')?.focus({ preventScroll: true });
        }
        node.remove();
        if (answeredHere) {
          this._name.scrollIntoView?.({ block: 'nearest' });
        }
        view.widget.dispose();
        this._views.delete(question);
      }
    }
    for (const question of questions) {
      if (!this._views.has(question)) {
        const view = new CallView(this._tools);
        this._views.set(question, view);
        view.update({ type: TOOL_CALLS.name }, { streaming: true, question });
        this._questions.append(view.widget.node);
      }
    }
  }

  private readonly _dot = element('span', 'msgbook-Agent-dot');
  private readonly _name = element('span', 'msgbook-Agent-name');
  private readonly _agent = element('span', 'msgbook-Agent-agent');
  private readonly _status = element('span', 'msgbook-Agent-status');
  private readonly _facts = element('span', 'msgbook-Agent-facts');
  private readonly _progress = element('span', 'msgbook-Agent-progress');
  private readonly _stop = element('span', 'msgbook-Agent-stop');
  private readonly _last = element('div', 'msgbook-Agent-last');
  private readonly _questions = element('div', 'msgbook-Agent-questions');
  private readonly _views = new Map<IApprovalQuestion, CallView>();
  private _file: string | null = null;
  private _shown: JSONObject | null = null;
}
