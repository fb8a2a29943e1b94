import type { TranslationBundle } from '@jupyterlab/translation';

import { agentChoices } from '../pickers/agentChoices';
import { agentParams, parseAgents } from '../pickers/agents';
import type { IChoices } from '../pickers/choices';
import { openChoiceList } from '../pickers/popup';
import { visible } from '../turn/text';
import type { IActiveCell } from './activePrompt';

/** Open a list of the agents that a prompt can name. */
export function chooseCellAgent(
  active: IActiveCell,
  anchor: Element,
  label: string,
  trans: TranslationBundle,
  onChoose: (agent: string | null) => void
): void {
  openChoiceList(anchor, {
    label,
    placeholder: trans.__('Search agents'),
    load: () => listAgents(active, trans),
    onChoose,
    trans
  });
}

async function listAgents(
  { connection, model, index, facts }: IActiveCell,
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
  return {
    choices: [automatic, ...agentChoices(found, facts.agent, trans)],
    notes: found.problem === undefined ? [] : [visible(found.problem)]
  };
}
