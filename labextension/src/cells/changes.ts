import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { type JSONObject, UUID } from '@lumino/coreutils';
import type { BareCell } from '../comm/ourKernels';
import type { History } from '../comm/turnMessages';
import { asOneChange, changeOurs, OURS, oursOf } from '../live/documentChanges';
import {
  cellFacts,
  changeMsgAttribute,
  type ICellFacts,
  parseMsgLine
} from './cellFacts';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  agentChoices,
  agentParams,
  type IChoices,
  parseAgents
} from '../pickers/agents';
import { openChoiceList } from '../pickers/popup';
import { visible } from '../turn/text';
import type { IActiveCell } from './activePrompt';

/** The part of a notebook's model that holds cells. */
type Cells = Pick<INotebookModel, 'cells' | 'sharedModel'>;

/** Return what a cell of a notebook says about requests below it. */
export function factsOf(cell: ICellModel, bare: BareCell): ICellFacts {
  const { type, sharedModel } = cell;
  const source = sharedModel.getSource();
  return cellFacts({ type, source, ours: cell.getMetadata(OURS) }, bare);
}

/** Set the history of cells, as one change that can be undone. */
export function setHistory(
  model: Cells,
  cells: readonly ICellModel[],
  history: History
): void {
  asOneChange(model, () => {
    for (const cell of cells) {
      // A cell that waits to be mended is sent only if a person says so.
      const isSaid =
        history !== 'include' ||
        // What cannot be read is the same in all notebooks.
        factsOf(cell, 'message').unread !== undefined;
      setAttribute(cell, 'history', isSaid ? history : null);
    }
  });
}

/** Set the agent that a prompt names, or none, as one change that can be undone. */
export function setAgent(
  model: Cells,
  cell: ICellModel,
  agent: string | null
): void {
  asOneChange(model, () => setAttribute(cell, 'agent', agent));
}

/** Set the model that a prompt names, as one change that can be undone. */
export function setModel(model: Cells, cell: ICellModel, name: string): void {
  asOneChange(model, () => setAttribute(cell, 'model', name));
}

/** Who answers a copy of a prompt: another agent, null for the default, or another model of its agent. */
export type Other =
  { readonly agent: string | null } | { readonly model: string };

/**
 * Insert a copy of a prompt below it that another agent or model answers, and exclude the first one,
 * as one change that can be undone. Return the index of the copy.
 */
export function insertRetry(model: Cells, index: number, other: Other): number {
  const cell = model.cells.get(index);
  const { attrs, agent }: Record<string, unknown> = oursOf(cell) ?? {};
  const kept = 'agent' in other ? other.agent : agent;
  // The other keys belong to the text of the first cell; an agent answers with its own model.
  const ours = {
    ...(attrs === undefined ? {} : { attrs }),
    ...(kept === null || kept === undefined ? {} : { agent: kept }),
    ...('model' in other ? { model: other.model } : {})
  } as JSONObject;
  const dropped = 'agent' in other ? ['agent', 'model'] : ['model'];
  const source = dropped.reduce(
    (text, key) => changeMsgAttribute(text, key, null),
    cell.sharedModel.getSource()
  );
  asOneChange(model, () => {
    setAttribute(cell, 'history', 'exclude');
    model.sharedModel.insertCell(index + 1, {
      id: UUID.uuid4(),
      cell_type: 'code',
      source,
      metadata: Object.keys(ours).length > 0 ? { [OURS]: ours } : {}
    });
  });
  return index + 1;
}

/** Set the agent and the model of a notebook, as one change that can be undone. */
export function setNotebook(
  model: INotebookModel,
  change: { readonly frontmatter?: string; readonly model?: string | null }
): void {
  asOneChange(model, () =>
    changeOurs(model, {
      ...(change.frontmatter === undefined
        ? {}
        : { frontmatter: change.frontmatter }),
      ...(change.model === undefined
        ? {}
        : { model: change.model ?? undefined })
    })
  );
}

/** Set an attribute of a cell where it is written: in its `%%msg` line, else in its metadata. */
function setAttribute(
  cell: ICellModel,
  key: string,
  value: string | null
): void {
  const source = cell.sharedModel.getSource();
  const inLine =
    cell.type === 'code' && parseMsgLine(source).attributes.has(key);
  if (inLine) {
    cell.sharedModel.setSource(changeMsgAttribute(source, key, value));
  }
  if (!inLine || value === null) {
    changeOurs(cell, { [key]: value ?? undefined });
  }
}

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
