import type { TranslationBundle } from '@jupyterlab/translation';

import { agentChoices } from '../pickers/agentChoices';
import { agentParams, parseAgents } from '../pickers/agents';
import type { IChoices } from '../pickers/choices';
import { openChoiceList } from '../pickers/popup';
import { visible } from '../turn/text';
import type { IActiveCell } from './activePrompt';

/**
 * Open a list of the agents that a prompt can name.
 *
 * @param without - The agent that has answered, which is left out; undefined for a list of all.
 */
export function chooseCellAgent(
  active: IActiveCell,
  anchor: Element,
  label: string,
  trans: TranslationBundle,
  onChoose: (agent: string | null) => void,
  without?: string
): void {
  openChoiceList(anchor, {
    label,
    placeholder: trans.__('Search agents'),
    load: () => listAgents(active, without, trans),
    onChoose,
    trans
  });
}

async function listAgents(
  { connection, model, index, facts }: IActiveCell,
  without: string | undefined,
  trans: TranslationBundle
): Promise<IChoices> {
  const asked = agentParams(model, index);
  const found = parseAgents(await connection.queries.ask('agents.list', asked));
  const automatic = {
    value: null,
    label: trans.__('Default'),
    detail: found.agent === undefined ? '' : visible(found.agent),
    isCurrent: facts.agent === undefined
  };
  const notes = found.problem === undefined ? [] : [visible(found.problem)];
  const all = agentChoices(found, facts.agent, trans);
  if (without === undefined) {
    return { choices: [automatic, ...all], notes };
  }
  const others = all.filter(({ value }) => value !== without);
  const none = trans.__('There is no other agent.');
  return {
    choices: found.agent === without ? others : [automatic, ...others],
    notes: others.length === 0 ? [...notes, none] : notes
  };
}
