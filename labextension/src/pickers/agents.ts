import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import { oursOf } from '../live/documentChanges';
import {
  asText,
  asTexts,
  fields,
  listOf,
  textOrEmpty,
  whole
} from '../turn/reading';
import type { TranslationBundle } from '@jupyterlab/translation';
import { visible } from '../turn/text';

/** An agent that can be named. All of it may come from any file: show it as text. */
const parseAgent = whole(
  { name: asText },
  {
    /** `cell`, `notebook`, `project`, `configuration` or `built-in`. */
    origin: textOrEmpty,
    models: asTexts,
    description: textOrEmpty
  }
);

type Agent = NonNullable<ReturnType<typeof parseAgent>>;

/** Return the answer to `agents.list` (docs/protocol.md); parts of wrong types count as absent. */
export const parseAgents = fields({
  agents: listOf(parseAgent),
  /** What answers; absent if nothing can, and for a model that only the server knows. */
  agent: asText,
  model: asText,
  provider: asText,
  /** Why nothing can answer. */
  problem: asText
});

export type IAgents = ReturnType<typeof parseAgents>;

/** The single line of a cell `%agent new ...`, `%agent default ...` or `%model ...`. */
const CHOICE = /^\s*%(?:agent\s+(new|default)|(model))\s+\S[^\n]*$/;

/**
 * Return the parameters of `agents.list` for a place in a notebook.
 *
 * @param end - Number of the cells above; by default none chooses, and all define agents.
 */
export function agentParams(model: INotebookModel, end?: number): JSONObject {
  const metadata = (oursOf(model) ?? {}) as JSONObject;
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
  { origin, models, description }: Agent,
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
  const places = new Map([
    ['cell', trans.__('a cell above')],
    ['notebook', trans.__('this notebook')],
    ['project', '.msgbook/agents'],
    ['configuration', 'msgbook.toml']
  ]);
  return places.get(origin) ?? trans.__('built in');
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

/** Return the line of a name that a person has typed. */
export function typedChoice(name: string, trans: TranslationBundle): IChoice {
  const detail = trans.__('use this name');
  return { value: name, label: visible(name), detail };
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
  const moves = new Map([
    ['ArrowDown', index + 1],
    ['ArrowUp', index - 1],
    ['PageDown', index + 10],
    ['PageUp', index - 10]
  ]);
  const moved = moves.get(key);
  return moved === undefined ? null : Math.max(0, Math.min(moved, length - 1));
}
