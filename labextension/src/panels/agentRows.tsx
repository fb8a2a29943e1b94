import type { TranslationBundle } from '@jupyterlab/translation';
import {
  caretDownIcon,
  caretRightIcon,
  copyIcon,
  type LabIcon,
  stopIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';
import { shownText } from '../turn/text';
import { copyText } from '../render/dom';
import { aboutOf } from '../turn/shownFacts';
import type { AgentsModel } from './agentsModel';
import { asObjects, asText, isObject } from '../turn/reading';

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

interface IRowProps {
  readonly agent: IListedAgent;
  readonly tools: IRowTools;
}

/** The agents below one, or of a folder. */
export function AgentRows({
  agents,
  tools
}: Pick<IRowProps, 'tools'> & {
  readonly agents: readonly IListedAgent[];
}): React.JSX.Element {
  return (
    <ul className="msgbook-AgentsPanel-rows">
      {agents.map(agent => (
        <Row key={agent.key} agent={agent} tools={tools} />
      ))}
    </ul>
  );
}

function Row({ agent, tools }: IRowProps): React.JSX.Element {
  const { children, key, outside, status } = agent;
  const { trans } = tools;
  const name = shownText(agent.name);
  const isClosed = tools.closed.has(key);
  return (
    <li className="msgbook-AgentsPanel-agent" data-status={status}>
      <div className="msgbook-AgentsPanel-line">
        {children.length > 0 ? (
          <Toggle agent={agent} tools={tools} />
        ) : (
          <span className="msgbook-AgentsPanel-noToggle" />
        )}
        <Conversation agent={agent} tools={tools} />
        {outside !== null && (
          <Action
            icon={copyIcon}
            label={trans.__('Copy path of %1', name)}
            title={trans.__('Copy path')}
            act={() => copyText(outside)}
          />
        )}
        {tools.model.canStop(agent) && (
          <Action
            icon={stopIcon}
            label={trans.__('Stop %1', name)}
            act={() => tools.stop(agent)}
          />
        )}
      </div>
      {children.length > 0 && !isClosed && (
        <AgentRows agents={children} tools={tools} />
      )}
    </li>
  );
}

function Toggle({ agent, tools }: IRowProps): React.JSX.Element {
  const isClosed = tools.closed.has(agent.key);
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
function Conversation({ agent, tools }: IRowProps): React.JSX.Element {
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

function Facts({ agent, tools }: IRowProps): React.JSX.Element {
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

/** A button with an icon at the end of a row. */
function Action(props: {
  readonly icon: LabIcon;
  readonly label: string;
  readonly title?: string;
  readonly act: () => void;
}): React.JSX.Element {
  const { icon, label, title = label, act } = props;
  return (
    <button
      className="msgbook-AgentsPanel-action"
      aria-label={label}
      title={title}
      onClick={act}
    >
      <icon.react tag="span" />
    </button>
  );
}

function statusWords(status: AgentStatus, trans: TranslationBundle): string {
  return {
    standby: '',
    running: trans.__('running'),
    pending: trans.__('no report yet'),
    finished: trans.__('done'),
    unreadable: trans.__('cannot be read')
  }[status];
}

/** Agents of one folder that are shown. */
const LIMIT = 500;

/** Folders in which something runs that are listed, too. */
const FOLDERS = 20;

/** Characters of a name or a task. */
const LENGTH = 300;

/** Status of an agent, as the server tells it. */
export type AgentStatus =
  'standby' | 'running' | 'pending' | 'finished' | 'unreadable';

/** A conversation and what its agent does, with text of unknown origin. */
export interface IListedAgent {
  /** Names it among the agents of its list. */
  readonly key: string;
  /** Empty before its first turn. */
  readonly uuid: string;
  /** Path on the server; null if it cannot be opened. */
  readonly path: string | null;
  /** Path on the server's disk of a file outside the folder that it shows; null inside. */
  readonly outside: string | null;
  readonly name: string;
  /** What a sub-agent was asked; empty for any other agent. */
  readonly task: string;
  readonly status: AgentStatus;
  /** Whether a page shows its notebook. */
  readonly isOpen: boolean;
  /** Why it cannot be read, or what is odd about it; empty for nothing. */
  readonly problem: string;
  readonly children: readonly IListedAgent[];
}

/** The conversations of a folder. */
export interface IAgentList {
  /** Folders on the server in which a conversation runs, whatever runs it. */
  readonly running: readonly string[];
  /** Those without a parent in the list. */
  readonly roots: readonly IListedAgent[];
  /** Number of agents that are left out. */
  readonly further: number;
}

interface IGrowingAgent extends IListedAgent {
  readonly children: IGrowingAgent[];
}

/** Return the agents of a server's answer; what is no agent is left out. */
export function parseAgentList(answer: unknown): IAgentList {
  const objects = isObject(answer) ? asObjects(answer.agents) : [];
  const roots: IGrowingAgent[] = [];
  const above: IGrowingAgent[] = [];
  for (const [index, row] of objects.slice(0, LIMIT).entries()) {
    const depth = Number.isInteger(row.depth) ? (row.depth as number) : 0;
    above.length = Math.max(0, Math.min(above.length, depth));
    const agent = parseAgent(row, index);
    (above.at(-1)?.children ?? roots).push(agent);
    above.push(agent);
  }
  return {
    roots,
    further: Math.max(0, objects.length - LIMIT),
    running: isObject(answer) ? asTexts(answer.running) : []
  };
}

/** Return the folders outside of the one that the server shows with agents of a tree. */
export function foldersOutside(agents: readonly IListedAgent[]): string[] {
  const found = agents.flatMap(({ outside, children }) => [
    ...(outside === null ? [] : [outside.replace(/[\\/][^\\/]*$/, '')]),
    ...foldersOutside(children)
  ]);
  return Array.from(new Set(found));
}

/** Return the agents of which one below, or the agent itself, passes a test. */
export function keepAgents(
  agents: readonly IListedAgent[],
  test: (agent: IListedAgent) => boolean
): IListedAgent[] {
  return agents.flatMap(agent => {
    const children = keepAgents(agent.children, test);
    return children.length > 0 || test(agent) ? [{ ...agent, children }] : [];
  });
}

/** Return the folder with the conversations around one: for a sub-agent's, the project's. */
export function folderOf(path: string): string {
  const names = path.split('/').slice(0, -1);
  const isSubagents =
    names.at(-1) === 'subagents' && names.at(-2) === '.msgbook';
  return (isSubagents ? names.slice(0, -2) : names).join('/');
}

function parseAgent(
  row: Record<string, unknown>,
  index: number
): IGrowingAgent {
  const path = asText(row.path) ?? null;
  const problem = text(row.problem);
  const outside = path === null ? (asText(row.outside) ?? null) : null;
  const task = text(row.prompt);
  // A conversation is known by its file, a sub-agent by what it does.
  const file = task === '' ? (path ?? outside ?? '') : '';
  return {
    key: path ?? asText(row.fileUri) ?? `${index}`,
    uuid: asText(row.uuid) ?? '',
    path,
    outside,
    name: text(file.replace(/^.*[\\/]/, '')) || text(row.name) || (path ?? ''),
    task,
    status: statusOf(row),
    isOpen: row.isWindowOpen === true,
    problem,
    children: []
  };
}

/** A file that cannot be read has no time of its last change. */
function statusOf({ status, changed }: Record<string, unknown>): AgentStatus {
  if (changed === null || changed === undefined) {
    return 'unreadable';
  }
  return status === 'running' || status === 'pending' || status === 'finished'
    ? status
    : 'standby';
}

function asTexts(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter(one => typeof one === 'string').slice(0, FOLDERS)
    : [];
}

function text(value: unknown): string {
  return (asText(value) ?? '').slice(0, LENGTH);
}
