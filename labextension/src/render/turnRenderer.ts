import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  JSONExt,
  type JSONObject,
  type ReadonlyPartialJSONValue
} from '@lumino/coreutils';
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';
import { drawingDiagrams } from '../rich/diagrams';
import type { IDrawers } from '../rich/vegaChart';
import { afterRender, type IMarkdownRenderer } from '../safe/markdown';
import { kindOf, TOOL_CALLS, TOOL_RESULTS } from '../turn/kinds';
import { hiddenReasoningLines } from '../turn/shownFacts';
import {
  hasAnswer,
  type IBlock,
  type ITurn,
  parseTurn,
  TURN_MIME
} from '../turn/model';
import { shownStatus, type ShownStatus } from '../turn/wording';
import type {
  Act,
  IBlockView,
  ITurnHost,
  ITurnOffers,
  IViewTools,
  TurnAction
} from './host';
import { createBlockView } from './blockViews';
import { actionButton, button, Disclosure, element } from './dom';
import { Header, Ticker } from './header';
import { jsonNode } from '../turn/shownJson';
import type { IApprovalQuestion } from '../comm/approvalMessages';
import { agentIds, askerId } from '../turn/agentRows';

/**
 * Time for which a turn without a known cell counts as running after its start, in milliseconds.
 */
const RECENT = 60_000;

/**
 * Renderer of a turn, also while it runs.
 *
 * It always sanitises, whatever the trust. Invariant: the view at an index of `_shown` shows the
 * block at that index; a view whose block did not change is not touched.
 *
 * A turn saved as `running` is shown as running while its cell runs. After a reload that is not
 * known until the kernel is reached. Where no cell is known (consoles), it is shown so if updates
 * have arrived or it began within the last minute. Otherwise it is shown as interrupted.
 */
export class TurnRenderer extends Panel implements IRenderMime.IRenderer {
  constructor(
    trans: TranslationBundle,
    host: ITurnHost,
    drawers: IDrawers,
    markdown: IMarkdownRenderer
  ) {
    super();
    this.addClass('msgbook-Turn');
    this.node.dataset.mimeType = TURN_MIME;
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', trans.__('Answer'));
    this._trans = trans;
    const act =
      host.act && ((action: TurnAction) => host.act!(this.node, action));
    this._tools = {
      markdown: focusableCode(
        drawingDiagrams(markdown, drawers.diagrams, trans),
        trans
      ),
      trans,
      charts: drawers.charts,
      isTrusted: () => this._trusted,
      act,
      connectModel: host.connectModel && (() => host.connectModel?.()),
      answer: host.answer.bind(host),
      conversation: host.conversation.bind(host)
    };
    this._host = host;
    this._header = new Header(trans, act);
    this.addWidget(new Widget({ node: this._header.node }));
    this.addWidget(this._body);
    this._body.addClass('msgbook-Turn-blocks');
    this._continue = new ContinueLine(trans, act);
    this.addWidget(new Widget({ node: this._continue.node }));
    this._demoHint = new DemoHint(trans, host.connectModel);
    this.addWidget(new Widget({ node: this._demoHint.node }));
  }

  /**
   * Show the turn of `model`; the promise resolves when its Markdown is rendered.
   *
   * Before it is attached nothing is drawn: its cell is not known, and the cells of a long chat are
   * attached a few at a time. Calls may overlap, as those of an output area do.
   */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    if (!this.isDisposed) {
      this._isGiven = true;
      this._given = model.data[TURN_MIME];
      this._trusted = model.trusted;
      this.refresh();
      await Promise.all(this._shown.map(({ rendered }) => rendered));
    }
  }

  /** Show the host's live turn, or else the turn of the output model. */
  refresh(): void {
    if (!this.isDisposed && this._isGiven && (this.isAttached || this._turn)) {
      this._show(this._host.currentTurn(this.node) ?? this._given);
    }
  }

  override dispose(): void {
    this._ticker.stop();
    super.dispose();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this.refresh();
  }

  private _show(value: ReadonlyPartialJSONValue | undefined): void {
    const turn = parseTurn(value);
    if (turn === null) {
      this._showUnreadable(value);
      return;
    }
    this._unreadable?.dispose();
    this._unreadable = null;
    this._header.node.hidden = false;
    this._updated ||=
      this._value !== undefined &&
      this._value !== value &&
      !JSONExt.deepEqual(this._value, value ?? null);
    this._value = value;
    this._turn = turn;
    this._status = this._statusOf(turn);
    this._showHeader(turn);
    const live = this._status === 'running' || this._status === 'connecting';
    if (live) {
      this._ticker.start();
    } else {
      this._ticker.stop();
    }
    // Nothing in a busy part is read out, and a question has to be.
    const asked = this._host.questions(this.node).length > 0;
    this._body.node.setAttribute('aria-busy', String(live && !asked));
    this._showBlocks(turn, live);
    this._demoHint.show(turn, live);
  }

  private _showHeader(turn: ITurn): void {
    // A console asks in its input line, which the page does not know.
    const asked =
      this._host.questions(this.node).length > 0 ||
      turn.blocks.some(({ approval }) => approval === 'pending');
    const offers = this._host.offers(this.node);
    this._header.show(turn, this._status, asked, Date.now(), offers);
    this._continue.show(turn, this._status, offers);
  }

  private _showBlocks(turn: ITurn, live: boolean): void {
    const { blocks } = turn;
    const shownBlocks = withQuestions(blocks, this._host.questions(this.node));
    const lines = hiddenReasoningLines(turn, live, this._trans);
    this._dropViews(shownBlocks.length);
    for (const [index, { block, question, asked }] of shownBlocks.entries()) {
      const streaming =
        live && (index >= blocks.length - 1 || mayChange(block));
      const hidden = lines.get(index);
      const now = { block, streaming, hidden, question, asked };
      const before = this._shown[index]?.state;
      if (before && looksSame(before, now)) {
        continue;
      }
      const shown = this._viewAt(index, block.type);
      shown.rendered = Promise.resolve(
        shown.view.update(block, { blocks, ...now })
      );
      shown.state = now;
    }
  }

  /** Return the view at an index, a new one if the view there is for another type. */
  private _viewAt(index: number, type: string): IShownBlock {
    if (this._shown[index]?.type !== type) {
      this._dropViews(index);
      const view = createBlockView(type, this._tools);
      this._body.addWidget(view.widget);
      const rendered = Promise.resolve();
      this._shown.push({ type, view, state: null, rendered });
    }
    return this._shown[index];
  }

  private _dropViews(from: number): void {
    for (const { view } of this._shown.splice(from)) {
      view.widget.dispose();
    }
  }

  private _showUnreadable(value: ReadonlyPartialJSONValue | undefined): void {
    this._ticker.stop();
    this._dropViews(0);
    this._unreadable?.dispose();
    this._header.node.hidden = true;
    this._demoHint.node.hidden = true;
    this._continue.node.hidden = true;
    const details = new Disclosure('msgbook-Unknown', jsonNode(value));
    details.label(this._trans.__('Its data'));
    const node = element(
      'div',
      'msgbook-Notice msgbook-mod-warning',
      this._trans.__('This turn cannot be shown.'),
      details.node
    );
    this._unreadable = new Widget({ node });
    this._body.addWidget(this._unreadable);
  }

  private _statusOf(turn: ITurn): ShownStatus {
    const execution = this._host.execution(this.node);
    if (execution !== 'unknown') {
      return shownStatus(turn, execution);
    }
    const age = Date.now() - (turn.started ?? 0);
    const recent = this._updated || Math.abs(age) < RECENT;
    return shownStatus(turn, recent ? 'running' : 'idle');
  }

  private _tick(): void {
    if (this._turn === null || this._unreadable !== null) {
      return;
    }
    if (this._statusOf(this._turn) !== this._status) {
      this.refresh();
    } else {
      this._showHeader(this._turn);
    }
  }

  private readonly _trans: TranslationBundle;
  private readonly _tools: IViewTools;
  private readonly _host: ITurnHost;
  private readonly _header: Header;
  private readonly _continue: ContinueLine;
  private readonly _demoHint: DemoHint;
  private readonly _body = new Panel();
  private readonly _shown: IShownBlock[] = [];
  private _unreadable: Widget | null = null;
  private _isGiven = false;
  /** Value from the output model. */
  private _given: ReadonlyPartialJSONValue | undefined;
  /** Value that is shown. */
  private _value: ReadonlyPartialJSONValue | undefined;
  private _turn: ITurn | null = null;
  private _trusted = false;
  private _updated = false;
  private _status: ShownStatus = 'done';
  private readonly _ticker = new Ticker(() => this._tick());
}

/** A block with the question about it. */
interface IAskedBlock {
  readonly block: IBlock;
  readonly question?: IApprovalQuestion;
  /** Questions about calls of the sub-agents in this result. */
  readonly asked: readonly IApprovalQuestion[];
}

/** No questions, always the same object. */
const NONE: readonly IApprovalQuestion[] = [];

/**
 * Return the blocks, each with its question.
 *
 * A question goes to the last call with its id, and that of a sub-agent to the result that has its
 * row. Any other question gets a block of its own, since the kernel waits for its answer.
 */
export function withQuestions(
  blocks: readonly IBlock[],
  questions: readonly IApprovalQuestion[]
): IAskedBlock[] {
  const asked: IAskedBlock[] = blocks.map(block => ({ block, asked: NONE }));
  for (const question of questions) {
    const { asker, callId } = question;
    // The model chooses the ids of the conversation's own calls; one may have a slash.
    const own = asker.length === 0 ? callId : null;
    const row = own === null ? rowOf(blocks, callId) : -1;
    const index = blocks
      .map(block => kindOf(block) === TOOL_CALLS && block.id === own)
      .lastIndexOf(true);
    if (row !== -1) {
      const others = asked[row].asked;
      asked[row] = { block: blocks[row], asked: [...others, question] };
    } else if (index === -1 || asked[index].question !== undefined) {
      const block = { type: TOOL_CALLS.name };
      asked.push({ block, question, asked: NONE });
    } else {
      asked[index] = { block: blocks[index], question, asked: NONE };
    }
  }
  return asked;
}

/** Return the index of the running result with the row of the sub-agent that asks, else -1. */
function rowOf(blocks: readonly IBlock[], callId: string): number {
  const id = askerId(callId);
  return id === null
    ? -1
    : blocks.map(block => agentIds(block).includes(id)).lastIndexOf(true);
}

/** State of a block that decides how it looks. */
interface IBlockState extends IAskedBlock {
  /** Whether the block may still change. */
  readonly streaming: boolean;
  /** Line about reasoning that the server keeps to itself; undefined for any other block. */
  readonly hidden: string | undefined;
}

/** A view and the state that it shows, if any yet. */
interface IShownBlock {
  readonly type: string;
  readonly view: IBlockView;
  state: IBlockState | null;
  rendered: Promise<void>;
}

/** Return whether two states of a block look the same. */
function looksSame(one: IBlockState, other: IBlockState): boolean {
  return (
    one.streaming === other.streaming &&
    one.hidden === other.hidden &&
    one.question === other.question &&
    one.asked.length === other.asked.length &&
    one.asked.every((question, i) => question === other.asked[i]) &&
    (one.block === other.block ||
      JSONExt.deepEqual(one.block as JSONObject, other.block as JSONObject))
  );
}

/** Return whether a block of a running turn may change although others follow it. */
function mayChange(block: IBlock): boolean {
  const isResult = kindOf(block) === TOOL_RESULTS;
  return (
    block.approval === 'pending' || (isResult && block.status === undefined)
  );
}

/** A button where an answer broke off, which gets the rest of it. */
export class ContinueLine {
  constructor(
    trans: TranslationBundle,
    private readonly _act: Act | null
  ) {
    this.node.hidden = true;
    if (_act !== null) {
      this.node.append(
        actionButton(
          trans.__('Continue'),
          trans.__('Continue this answer in a new cell below'),
          () => _act({ kind: 'continue' })
        )
      );
    }
  }

  readonly node = element('div', 'msgbook-Continue');

  show(turn: ITurn, status: ShownStatus, offers: ITurnOffers): void {
    this.node.hidden =
      this._act === null || !canContinue(turn, status) || offers.isContinued;
  }
}

/** Return whether `%continue` below a turn would get the rest of it. */
function canContinue(turn: ITurn, status: ShownStatus): boolean {
  return (
    hasAnswer(turn) &&
    (status === 'incomplete' || status === 'interrupted' || status === 'error')
  );
}

const DEMO = 'demo';

/** A line below the demo model's first answer: how to get another model. */
class DemoHint {
  constructor(
    private readonly _trans: TranslationBundle,
    /** Opens the form that connects a model; undefined where there is none. */
    private readonly _connect: (() => void) | undefined
  ) {
    this.node.hidden = true;
  }

  readonly node = element('div', 'msgbook-DemoHint');

  show({ model, provider, context }: ITurn, live: boolean): void {
    const isFirst = (context.cells ?? 0) === 0;
    const isDemo = model === DEMO && (provider ?? DEMO) === DEMO;
    this.node.hidden = live || !isFirst || !isDemo || !this._connect;
    if (!this.node.hidden && !this.node.hasChildNodes()) {
      this._fill();
    }
  }

  private _fill(): void {
    const words = this._trans.__(
      'This was the built-in demo model. Connect your own:'
    );
    this.node.append(
      element('span', '', words),
      button(
        'msgbook-DemoHint-button jp-mod-styled',
        this._trans.__('Connect a Model…'),
        () => this._connect?.()
      )
    );
  }
}

/** Let the keyboard reach blocks of code, which have buttons while they are focused. */
function focusableCode(
  markdown: IMarkdownRenderer,
  trans: TranslationBundle
): IMarkdownRenderer {
  const label = trans.__('Code');
  return afterRender(markdown, node => {
    for (const pre of Array.from(node.querySelectorAll('pre'))) {
      pre.tabIndex = 0;
      pre.setAttribute('role', 'group');
      pre.setAttribute('aria-label', label);
    }
  });
}
