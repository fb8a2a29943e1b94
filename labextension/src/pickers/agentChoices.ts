import type { TranslationBundle } from '@jupyterlab/translation';

import { visible } from '../turn/text';
import type { IAgent, IAgents } from './agents';
import type { IChoice } from './choices';

/** Return the lines of a list of agents. */
export function agentChoices(
  { agents }: IAgents,
  current: string | undefined,
  trans: TranslationBundle
): IChoice[] {
  return agents.map(agent => ({
    value: agent.name,
    label: visible(agent.name),
    detail: visible(describe(agent, trans)),
    isCurrent: agent.name === current
  }));
}

function describe(
  { origin, models, description }: IAgent,
  trans: TranslationBundle
): string {
  const parts = [
    models.slice(0, 1).join(''),
    placeOf(origin, trans),
    description
  ];
  return parts.filter(part => part !== '').join(' · ');
}

/** Return where an agent is defined. */
function placeOf(origin: string, trans: TranslationBundle): string {
  switch (origin) {
    case 'cell':
      return trans.__('a cell above');
    case 'notebook':
      return trans.__('this notebook');
    case 'project':
      return '.msgbook/agents';
    case 'configuration':
      return 'msgbook.toml';
    default:
      return trans.__('built in');
  }
}
