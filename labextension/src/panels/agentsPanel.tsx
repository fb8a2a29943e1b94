import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { shownText } from '../render/agentList';
import { Boundary } from './boundary';
import { AgentRows, type IRowTools } from './agentRows';
import type { AgentsModel, IAgentGroup } from './agentsModel';

/** Panel with the conversations of a folder and their sub-agents, as a tree. */
export class AgentsPanel extends ReactWidget {
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
    super();
    this._model = model;
    this._trans = trans;
    this._open = open;
    this._complain = complain;
    this.addClass('msgbook-AgentsPanel');
  }

  override dispose(): void {
    this._model.dispose();
    super.dispose();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._follow();
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._follow();
  }

  protected override onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this._model.stop();
  }

  protected override onBeforeDetach(msg: Message): void {
    this._model.stop();
    super.onBeforeDetach(msg);
  }

  protected override render(): React.JSX.Element {
    return (
      <UseSignal signal={this._model.changed}>
        {() => (
          <Boundary trans={this._trans}>
            <AgentsView
              model={this._model}
              trans={this._trans}
              open={this._open}
              stop={agent =>
                void this._model.stopAgent(agent).catch(this._complain)
              }
            />
          </Boundary>
        )}
      </UseSignal>
    );
  }

  private _follow(): void {
    if (this.isVisible) {
      this._model.start();
    }
  }

  private readonly _model: AgentsModel;
  private readonly _trans: TranslationBundle;
  private readonly _open: (path: string) => void;
  private readonly _complain: (reason: unknown) => void;
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
  const { model, trans } = props;
  const tools = { ...props, closed, toggle };
  return (
    <>
      {model.problem !== '' && (
        <p className="msgbook-AgentsPanel-note" role="alert">
          {trans.__(
            'The agents cannot be listed: %1',
            shownText(model.problem)
          )}
        </p>
      )}
      {model.groups.map(group => (
        <Group key={group.folder} group={group} tools={tools} />
      ))}
    </>
  );
}

function Group(props: {
  readonly group: IAgentGroup;
  readonly tools: IRowTools;
}): React.JSX.Element {
  const { folder, agents, further } = props.group;
  const { trans } = props.tools;
  const title = folder === '' ? trans.__('Top folder') : shownText(folder);
  return (
    <section aria-label={title}>
      <h3 className="msgbook-AgentsPanel-folder" title={title}>
        {title}
      </h3>
      {agents.length === 0 ? (
        <p className="msgbook-AgentsPanel-note">
          {trans.__('There are no conversations in this folder.')}
        </p>
      ) : (
        <AgentRows agents={agents} tools={props.tools} />
      )}
      {further > 0 && (
        <p className="msgbook-AgentsPanel-note">
          {trans.__('… and %1 more', further)}
        </p>
      )}
    </section>
  );
}
