import type { TranslationBundle } from '@jupyterlab/translation';
import {
  caretDownIcon,
  caretRightIcon,
  copyIcon,
  stopIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import { shownText } from '../render/agentList';
import { copyText } from '../render/copyText';
import { aboutOf } from '../turn/subagentTasks';
import type { AgentStatus, IListedAgent } from './agentsData';
import type { AgentsModel } from './agentsModel';

/** What the rows need. */
export interface IRowTools {
  readonly model: AgentsModel;
  readonly trans: TranslationBundle;
  readonly open: (path: string) => void;
  readonly stop: (agent: IListedAgent) => void;
  /** Keys of the agents whose sub-agents are hidden. */
  readonly closed: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
}

/** The agents below one, or of a folder. */
export function AgentRows(props: {
  readonly agents: readonly IListedAgent[];
  readonly tools: IRowTools;
}): React.JSX.Element {
  return (
    <ul className="msgbook-AgentsPanel-rows">
      {props.agents.map(agent => (
        <Row key={agent.key} agent={agent} tools={props.tools} />
      ))}
    </ul>
  );
}

function Row(props: {
  readonly agent: IListedAgent;
  readonly tools: IRowTools;
}): React.JSX.Element {
  const { agent, tools } = props;
  const { children, key, outside, status } = agent;
  const isClosed = tools.closed.has(key);
  return (
    <li className="msgbook-AgentsPanel-agent" data-status={status}>
      <div className="msgbook-AgentsPanel-line">
        {children.length > 0 ? (
          <Toggle agent={agent} isClosed={isClosed} tools={tools} />
        ) : (
          <span className="msgbook-AgentsPanel-noToggle" />
        )}
        <Conversation agent={agent} tools={tools} />
        {outside !== null && (
          <CopyPath agent={agent} path={outside} tools={tools} />
        )}
        {tools.model.canStop(agent) && (
          <StopButton agent={agent} tools={tools} />
        )}
      </div>
      {children.length > 0 && !isClosed && (
        <AgentRows agents={children} tools={tools} />
      )}
    </li>
  );
}

function Toggle(props: {
  readonly agent: IListedAgent;
  readonly isClosed: boolean;
  readonly tools: IRowTools;
}): React.JSX.Element {
  const { agent, isClosed, tools } = props;
  const Icon = isClosed ? caretRightIcon : caretDownIcon;
  const name = shownText(agent.name);
  return (
    <button
      className="msgbook-AgentsPanel-toggle"
      aria-expanded={!isClosed}
      aria-label={tools.trans.__('Sub-agents of %1', name)}
      onClick={() => tools.toggle(agent.key)}
    >
      <Icon.react tag="span" />
    </button>
  );
}

/** The conversation, which a click opens. */
function Conversation(props: {
  readonly agent: IListedAgent;
  readonly tools: IRowTools;
}): React.JSX.Element {
  const { agent, tools } = props;
  const { path, outside } = agent;
  const about = aboutOf(shownText(agent.name), shownText(agent.task));
  const title = [about, shownText(path ?? outside ?? '')];
  const shared = {
    className: 'msgbook-AgentsPanel-open',
    title: title.filter(Boolean).join('\n')
  };
  const facts = <Facts agent={agent} tools={tools} />;
  return path === null ? (
    <div {...shared}>{facts}</div>
  ) : (
    <button {...shared} onClick={() => tools.open(path)}>
      {facts}
    </button>
  );
}

function Facts(props: {
  readonly agent: IListedAgent;
  readonly tools: IRowTools;
}): React.JSX.Element {
  const { agent, tools } = props;
  const { outside, problem, status } = agent;
  const { trans } = tools;
  const name = shownText(agent.name);
  const task = shownText(agent.task);
  const about = aboutOf(name, task);
  return (
    <>
      <span className="msgbook-AgentsPanel-dot" aria-hidden="true" />
      <span className="msgbook-AgentsPanel-name">{about}</span>
      <span className="msgbook-AgentsPanel-facts">
        {[
          statusWords(status, trans),
          status !== 'running' && tools.model.isOpen(agent)
            ? trans.__('open in a tab')
            : ''
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
      {about === name && task !== '' && task !== name && (
        <span className="msgbook-AgentsPanel-task">{task}</span>
      )}
      {outside !== null && (
        <span className="msgbook-AgentsPanel-task">
          {trans.__('cannot be opened here')}
        </span>
      )}
      {problem !== '' && (
        <span className="msgbook-AgentsPanel-problem">
          {shownText(problem)}
        </span>
      )}
    </>
  );
}

function CopyPath(props: {
  readonly agent: IListedAgent;
  readonly path: string;
  readonly tools: IRowTools;
}): React.JSX.Element {
  const { agent, path, tools } = props;
  const { trans } = tools;
  return (
    <button
      className="msgbook-AgentsPanel-action"
      aria-label={trans.__('Copy path of %1', shownText(agent.name))}
      title={trans.__('Copy path')}
      onClick={() => copyText(path)}
    >
      <copyIcon.react tag="span" />
    </button>
  );
}

function StopButton(props: {
  readonly agent: IListedAgent;
  readonly tools: IRowTools;
}): React.JSX.Element {
  const { agent, tools } = props;
  const label = tools.trans.__('Stop %1', shownText(agent.name));
  return (
    <button
      className="msgbook-AgentsPanel-action"
      aria-label={label}
      title={label}
      onClick={() => tools.stop(agent)}
    >
      <stopIcon.react tag="span" />
    </button>
  );
}

function statusWords(status: AgentStatus, trans: TranslationBundle): string {
  switch (status) {
    case 'standby':
      return '';
    case 'running':
      return trans.__('running');
    case 'pending':
      return trans.__('no report yet');
    case 'finished':
      return trans.__('done');
    case 'unreadable':
      return trans.__('cannot be read');
  }
}
