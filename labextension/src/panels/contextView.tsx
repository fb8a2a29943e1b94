import type { TranslationBundle } from '@jupyterlab/translation';
import React, { memo, useState } from 'react';
import type { IShownRequest } from '../comm/contextAnswers';
import { errorText, plainTitle } from '../turn/text';
import { copyText } from '../render/dom';
import { type IRequestProps, Messages, Switches } from './contextRows';
import { ContextModel } from './contextModel';
import { formatCount } from '../turn/wording';
import { contextIcon } from '../icons';
import type { IPageConnections } from '../tokens';
import { reactView, SidePanel } from './sidePanel';

/** A part of the bar: its class, what it means, and its tokens. */
interface IPart {
  readonly name: string;
  readonly label: string;
  readonly tokens: number;
}

interface IPartsProps extends IRequestProps {
  readonly parts: readonly IPart[];
}

/** How full the context window is, and how much of the request the server may have kept. */
export function RequestBar(props: IRequestProps): JSX.Element {
  const { request, trans } = props;
  const parts = partsOf(request, trans).filter(part => part.tokens > 0);
  return (
    <div className="msgbook-Context-window">
      <p>{describeWindow(request, trans)}</p>
      <Bar {...props} parts={parts} />
      <Legend parts={parts} trans={trans} />
    </div>
  );
}

/** The parts, each as wide as its tokens; it is marked if they do not fit. */
function Bar({ request, parts, trans }: IPartsProps): JSX.Element {
  const { tokens, window, reserved } = request;
  return (
    <div
      className={
        window !== null && tokens + reserved > window
          ? 'msgbook-Context-bar msgbook-mod-full'
          : 'msgbook-Context-bar'
      }
      role="img"
      aria-label={parts
        .map(part => trans.__('%1: %2', part.label, formatCount(part.tokens)))
        .join(', ')}
    >
      {parts.map(part => (
        <span
          key={part.name}
          className={`msgbook-Context-bar-${part.name}`}
          style={{ flexGrow: part.tokens }}
        />
      ))}
    </div>
  );
}

function Legend({
  parts,
  trans
}: Pick<IPartsProps, 'parts' | 'trans'>): JSX.Element {
  return (
    <p className="msgbook-Context-legend" aria-hidden="true">
      {parts.map(part => (
        <span key={part.name}>
          <i className={`msgbook-Context-bar-${part.name}`} />
          {trans.__('%1 %2', formatCount(part.tokens), part.label)}
        </span>
      ))}
    </p>
  );
}

/** Return the parts of the request and, if the window is known, those of what it leaves. */
function partsOf(request: IShownRequest, trans: TranslationBundle): IPart[] {
  const { tokens, window, reserved } = request;
  const kept = keptTokens(request);
  const parts: IPart[] = [
    { name: 'kept', label: trans.__('cached'), tokens: kept },
    { name: 'new', label: trans.__('new'), tokens: tokens - kept }
  ];
  if (window !== null) {
    const answer = Math.min(reserved, Math.max(0, window - tokens));
    parts.push(
      { name: 'answer', label: trans.__('for the answer'), tokens: answer },
      {
        name: 'free',
        label: trans.__('free'),
        tokens: Math.max(0, window - tokens - answer)
      }
    );
  }
  return parts;
}

/** Return an estimate of the tokens that the server may have kept. */
function keptTokens(request: IShownRequest): number {
  const { tools, system, cells, tokens } = request;
  const messages = [...system, ...cells.flatMap(cell => cell.messages)];
  const kept = messages.reduce(
    (sum, message) => sum + message.tokens * message.kept,
    tools.tokens * tools.kept
  );
  return Math.min(tokens, Math.round(kept));
}

function describeWindow(
  { agent, tokens, window }: IShownRequest,
  trans: TranslationBundle
): string {
  const shown = formatCount(tokens);
  if (window === null) {
    return trans.__(
      'About %1 tokens. The context window of %2 is not known. Set it where this agent is defined, or as context_window in [agents.%2] of msgbook.toml.',
      shown,
      agent
    );
  }
  return trans.__(
    'About %1 tokens, %2% of a context window of %3.',
    shown,
    percentOf(tokens, window),
    formatCount(window)
  );
}

/** Return a share in percent; what is not quite nothing is not said to be nothing. */
function percentOf(part: number, whole: number): string {
  const percent = (100 * part) / whole;
  return part > 0 && percent < 1 ? '< 1' : String(Math.round(percent));
}

interface IViewProps {
  readonly model: ContextModel;
  readonly trans: TranslationBundle;
}

/** The request of the active prompt, message by message. */
export function ContextView(props: IViewProps): JSX.Element {
  const { model, trans } = props;
  const { request, problem } = model;
  if (model.connection === null) {
    return (
      <p className="msgbook-Context-empty">
        {trans.__('Open a chat to see what its next message sends.')}
      </p>
    );
  }
  return (
    <>
      {problem !== '' && (
        <p className="msgbook-Context-problem" role="status">
          {problem}
        </p>
      )}
      {problem !== '' && request !== null && (
        <p className="msgbook-Context-empty">
          {trans.__('Below is what was known before.')}
        </p>
      )}
      {request === null && problem === '' && (
        <p className="msgbook-Context-empty" role="status">
          {trans.__('Asking the kernel…')}
        </p>
      )}
      {request !== null && (
        <div
          className={problem === '' ? '' : 'msgbook-mod-outdated'}
          aria-busy={model.isAsking}
        >
          <Request {...props} request={request} />
        </div>
      )}
    </>
  );
}

/** The request; it is drawn again with each answer, and not with each question. */
const Request = memo(function Request(props: IRequestProps): JSX.Element {
  const { request } = props;
  return (
    <>
      <Head {...props} />
      <CopyRequest key={request.hash} {...props} />
      <RequestBar {...props} />
      <Cache {...props} />
      {request.notices.map((notice, index) => (
        <p key={index} className="msgbook-Context-notice">
          {notice}
        </p>
      ))}
      <Messages {...props} />
      <Switches {...props} />
    </>
  );
});

/** A button that copies the body of the request, and says when that is done. */
function CopyRequest({ model, trans }: IViewProps): JSX.Element {
  const [words, setWords] = useState('');
  const copy = async () => {
    try {
      const body = await model.readBody();
      copyText(JSON.stringify(body, null, 2));
      setWords(trans.__('Copied'));
    } catch (error) {
      setWords(errorText(error));
    }
  };
  return (
    <p className="msgbook-Context-copy">
      <button
        type="button"
        className="msgbook-Context-button"
        title={trans.__(
          'Copy the body of the request as JSON, as `%1` prints it',
          'msgbook preview --json'
        )}
        onClick={() => void copy()}
      >
        {trans.__('Copy request')}
      </button>
      <span role="status">{words}</span>
    </p>
  );
}

function Head(props: IRequestProps): JSX.Element {
  const { request, trans } = props;
  const prompt = request.cells[request.cells.length - 1];
  const { agent, provider } = request;
  const model = request.model ?? trans.__("the server's only model");
  return (
    <header className="msgbook-Context-head">
      <h3>
        {prompt.title === ''
          ? trans.__('The next message, cell %1', prompt.number)
          : trans.__('Cell %1: %2', prompt.number, plainTitle(prompt.title))}
      </h3>
      <p>{trans.__('%1 answers, with %2 at %3', agent, model, provider)}</p>
      <LeftOut {...props} />
    </header>
  );
}

function LeftOut({ request, trans }: IRequestProps): JSX.Element | null {
  const { cells } = request;
  const count = (history: string) =>
    cells.filter(cell => cell.history === history).length;
  const [excluded, summed] = [count('exclude'), count('summary')];
  const stale = cells.filter(cell => cell.is_stale).length;
  const parts = [
    excluded > 0 && trans._n('%1 excluded', '%1 excluded', excluded, excluded),
    summed > 0 && trans._n('%1 summed up', '%1 summed up', summed, summed),
    stale > 0 && trans._n('%1 stale', '%1 stale', stale, stale)
  ].filter(part => part !== false);
  return parts.length === 0 ? null : (
    <p>{trans.__('Cells above: %1', parts.join(', '))}</p>
  );
}

function Cache({ request, trans }: IRequestProps): JSX.Element {
  const { share, changes } = request.cache;
  return (
    <div className="msgbook-Context-cache">
      <p>
        {share === null
          ? trans.__(
              'What the server may have cached is known after the first turn of this session.'
            )
          : trans.__(
              'The server may have cached about %1 of these %2 tokens.',
              formatCount(keptTokens(request)),
              formatCount(request.tokens)
            )}
      </p>
      {changes.map((change, index) => (
        <p key={index}>{change}</p>
      ))}
    </div>
  );
}

/** The side panel with the request of the active prompt. */
export class ContextPanel extends SidePanel {
  constructor(connections: IPageConnections, trans: TranslationBundle) {
    const model = new ContextModel(connections, trans);
    super(
      {
        id: 'msgbook-context',
        look: 'msgbook-Context',
        icon: contextIcon,
        name: trans.__('Context'),
        caption: trans.__('Context: what the next message sends')
      },
      model
    );
    this.addWidget(
      reactView(model.changed, trans, () => (
        <ContextView model={model} trans={trans} />
      ))
    );
  }
}
