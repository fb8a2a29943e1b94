import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { agentsIcon } from '../icons';
import { shownText } from '../turn/text';
import { AgentRows, foldersOutside, type IRowTools } from './agentRows';
import type { AgentsModel, IAgentGroup } from './agentsModel';
import { reactView, SidePanel } from './sidePanel';

/** The side panel with the conversations of a folder and their sub-agents, as a tree. */
export class AgentsPanel extends SidePanel {
  /**
   * @param open - Opens the conversation at a path.
   * @param complain - Tells the reader why an agent could not be stopped.
   */
  constructor(
    model: AgentsModel,
    trans: TranslationBundle,
    open: (path: string) => void,
    complain: (reason: unknown) => void
  ) {
    super(
      {
        id: 'msgbook-agents',
        look: 'msgbook-AgentsPanel',
        icon: agentsIcon,
        name: trans.__('Conversations')
      },
      model
    );
    const stop: IRowTools['stop'] = agent =>
      void model.stopAgent(agent).catch(complain);
    this.addWidget(
      reactView(model.changed, trans, () => (
        <AgentsView model={model} trans={trans} open={open} stop={stop} />
      ))
    );
  }
}

function AgentsView(
  props: Omit<IRowTools, 'closed' | 'toggle'>
): React.JSX.Element {
  const [closed, setClosed] = React.useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) =>
    setClosed(before => {
      const after = new Set(before);
      if (!after.delete(key)) {
        after.add(key);
      }
      return after;
    });
  const tools = { ...props, closed, toggle };
  return (
    <>
      <h2 className="msgbook-AgentsPanel-title">
        {props.trans.__('Conversations')}
      </h2>
      {props.model.groups.map(group => (
        <Group key={group.folder} group={group} tools={tools} />
      ))}
    </>
  );
}

/** Why the sub-agents of a folder cannot be opened. */
function Outside(props: {
  readonly folder: string;
  readonly trans: TranslationBundle;
}): React.JSX.Element {
  const { folder, trans } = props;
  return (
    <p className="msgbook-AgentsPanel-note">
      {trans.__(
        'Some sub-agents cannot be opened here: JupyterLab opens only what is below the folder where it was started. Their chats are in:'
      )}{' '}
      <code dir="ltr">{shownText(folder)}</code>
    </p>
  );
}

function Group(props: {
  readonly group: IAgentGroup;
  readonly tools: IRowTools;
}): React.JSX.Element {
  const { folder, agents, further, problem } = props.group;
  const { trans } = props.tools;
  const title = folder === '' ? trans.__('Top folder') : shownText(folder);
  return (
    <section aria-label={title}>
      <h3 className="msgbook-AgentsPanel-folder" title={title}>
        {title}
      </h3>
      {problem !== '' ? (
        <p className="msgbook-AgentsPanel-note" role="alert">
          {trans.__(
            'The conversations cannot be listed: %1',
            shownText(problem)
          )}
        </p>
      ) : agents.length === 0 ? (
        <p className="msgbook-AgentsPanel-note">
          {trans.__('There are no chats in this folder.')}
        </p>
      ) : (
        <AgentRows agents={agents} tools={props.tools} />
      )}
      {foldersOutside(agents).map(place => (
        <Outside key={place} folder={place} trans={trans} />
      ))}
      {further > 0 && (
        <p className="msgbook-AgentsPanel-note">
          {trans.__('… and %1 more', further)}
        </p>
      )}
    </section>
  );
}
