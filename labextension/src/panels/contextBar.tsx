import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IShownRequest } from '../comm/contextAnswers';
import { formatCount } from '../turn/wording';

/** A part of the bar: its class, what it means, and its tokens. */
interface IPart {
  readonly name: string;
  readonly label: string;
  readonly tokens: number;
}

interface IRequestProps {
  readonly request: IShownRequest;
  readonly trans: TranslationBundle;
}

interface IPartsProps extends IRequestProps {
  readonly parts: readonly IPart[];
}

/** How full the context window is, and how much of the request the server may have kept. */
export function RequestBar({ request, trans }: IRequestProps): JSX.Element {
  const parts = partsOf(request, trans).filter(part => part.tokens > 0);
  return (
    <div className="msgbook-Context-window">
      <p>{describeWindow(request, trans)}</p>
      <Bar request={request} parts={parts} trans={trans} />
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

function Legend({ parts, trans }: Omit<IPartsProps, 'request'>): JSX.Element {
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
    Math.round((100 * tokens) / window),
    formatCount(window)
  );
}
