import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import { OURS } from '../live/documentChanges';
import { asObjects, asText, asTexts, isObject } from '../turn/model';
import type { TranslationBundle } from '@jupyterlab/translation';
import { visible } from '../turn/text';

/** An agent that can be named. All of it may come from any file: show it as text. */
export interface IAgent {
  readonly name: string;
  /** `cell`, `notebook`, `project`, `configuration` or `built-in`. */
  readonly origin: string;
  readonly models: readonly string[];
  readonly description: string;
}

/** The answer to `agents.list` (docs/protocol.md). */
export interface IAgents {
  readonly agents: readonly IAgent[];
  /** What answers; undefined if nothing can, and for a model that only the server knows. */
  readonly agent?: string;
  readonly model?: string;
  readonly provider?: string;
  /** Why nothing can answer. */
  readonly problem?: string;
}

/** Return the answer to `agents.list`; parts of wrong types count as absent. */
export function parseAgents(result: JSONObject): IAgents {
  return {
    agents: asObjects(result.agents)
      .map(parseAgent)
      .filter(agent => agent.name !== ''),
    agent: asText(result.agent),
    model: asText(result.model),
    provider: asText(result.provider),
    problem: asText(result.problem)
  };
}

function parseAgent(agent: Record<string, unknown>): IAgent {
  return {
    name: asText(agent.name) ?? '',
    origin: asText(agent.origin) ?? '',
    models: asTexts(agent.models),
    description: asText(agent.description) ?? ''
  };
}

/** The single line of a cell `%agent new ...`, `%agent default ...` or `%model ...`. */
const CHOICE = /^\s*%(?:agent\s+(new|default)|(model))\s+\S[^\n]*$/;

/**
 * Return the parameters of `agents.list` for a place in a notebook.
 *
 * @param end - Number of the cells above; by default none chooses, and all define agents.
 */
export function agentParams(model: INotebookModel, end?: number): JSONObject {
  const ours: unknown = model.getMetadata(OURS);
  const metadata = isObject(ours) ? (ours as JSONObject) : {};
  const cells = Array.from(model.cells).slice(0, end);
  return {
    cells: choosingCells(cells, end !== undefined),
    metadata: {
      ...(metadata.frontmatter === undefined
        ? {}
        : { frontmatter: metadata.frontmatter }),
      ...(metadata.model === undefined ? {} : { model: metadata.model })
    }
  };
}

/** Return the cells that choose or define, and for all others how many there are between them. */
function choosingCells(
  cells: readonly ICellModel[],
  choose: boolean
): (JSONObject | number)[] {
  const listed: (JSONObject | number)[] = [];
  let others = 0;
  for (const { id, type, sharedModel } of cells) {
    const source = sharedModel.getSource();
    const kind = CHOICE.exec(source.trimEnd());
    if (kind === null || (!choose && kind[1] !== 'new')) {
      others += 1;
      continue;
    }
    listed.push(others, { id, cell_type: type, source });
    others = 0;
  }
  return [...listed, others];
}

/** Return the first line with which a cell chooses for the cells below it. */
export function firstChoice(
  model: INotebookModel,
  kinds: readonly ('agent' | 'model')[],
  end?: number
): string | undefined {
  for (const { type, sharedModel } of Array.from(model.cells).slice(0, end)) {
    const source = sharedModel.getSource().trim();
    const kind = type === 'code' ? CHOICE.exec(source) : null;
    const chooses =
      (kind?.[1] === 'default' && kinds.includes('agent')) ||
      (kind?.[2] !== undefined && kinds.includes('model'));
    if (chooses) {
      return source;
    }
  }
  return undefined;
}

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

/** One line of a list. Its texts may come from any file. */
export interface IChoice {
  /** What is chosen; null for none. */
  readonly value: string | null;
  readonly label: string;
  /** Shown beside the label. */
  readonly detail?: string;
  readonly isCurrent?: boolean;
}

/** The lines of a list, and what is said above them. */
export interface IChoices {
  readonly choices: readonly IChoice[];
  readonly notes: readonly string[];
}

/** Return the lines in which all words of a search occur, best first. */
export function fitting(
  found: IChoices | null,
  text: string,
  other?: (text: string) => IChoice
): readonly IChoice[] {
  const searched = text.trim().toLowerCase();
  const choices = found?.choices ?? [];
  const parts = searched.split(/\s+/);
  const lines = choices.filter(({ label, detail }) => {
    const line = `${label} ${detail ?? ''}`.toLowerCase();
    return parts.every(part => line.includes(part));
  });
  const starts = (line: IChoice) =>
    line.label.toLowerCase().startsWith(searched) ? 0 : 1;
  const sorted =
    searched === '' ? lines : [...lines].sort((a, b) => starts(a) - starts(b));
  const isThere = choices.some(({ value }) => value === text.trim());
  return found === null || searched === '' || isThere || other === undefined
    ? sorted
    : [...sorted, other(text.trim())];
}

/** Return the index to which a key moves; null for a key that does not move. */
export function movedTo(
  key: string,
  index: number,
  length: number
): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(index + 1, length - 1);
    case 'ArrowUp':
      return Math.max(index - 1, 0);
    case 'PageDown':
      return Math.min(index + 10, length - 1);
    case 'PageUp':
      return Math.max(index - 10, 0);
    default:
      return null;
  }
}
