import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { errorText, visible } from '../turn/text';
import { indexOfCell } from '../live/codeCells';
import { runCell } from '../live/documentChanges';
import type { PageConnection } from '../live/pageConnection';
import {
  agentParams,
  firstChoice,
  type IChoices,
  parseAgents,
  typedChoice
} from '../pickers/agents';
import { openChoiceList } from '../pickers/popup';
import { parseTurn } from '../turn/model';
import { asTexts } from '../turn/reading';
import { factsOf, setModel, setNotebook } from './changes';

/** Milliseconds: a server may take long to list its models. */
const PATIENCE = 60_000;

/** Open a list of the models that can answer a cell, but for the one that has answered it. */
export function chooseOtherModel(
  connection: PageConnection,
  cellId: string,
  anchor: Element,
  trans: TranslationBundle,
  onChoose: (model: string) => void
): void {
  openChoiceList(anchor, {
    label: trans.__('Model that tries again'),
    placeholder: trans.__('Search models, or type a name'),
    load: () => listOthers(connection, cellId, trans),
    other: name => typedChoice(name, trans),
    onChoose: name => {
      if (name !== null) {
        onChoose(name);
      }
    },
    trans
  });
}

async function listOthers(
  { panel, queries, cells }: PageConnection,
  cellId: string,
  trans: TranslationBundle
): Promise<IChoices> {
  const { model } = panel.content;
  const index = indexOfCell(panel.content, cellId);
  const turn = parseTurn(cells.turn(cellId));
  try {
    const asked = model === null ? {} : agentParams(model, index);
    const found = parseAgents(await queries.ask('agents.list', asked));
    const provider = turn?.provider ?? found.provider ?? null;
    const answer = await queries.ask('models.list', { provider }, PATIENCE);
    const was = turn?.model ?? found.model;
    const others = asTexts(answer.models).filter(name => name !== was);
    const none = trans.__('The server lists no other model. Type its name.');
    return {
      choices: others.map(name => ({ value: name, label: visible(name) })),
      notes: others.length === 0 ? [none] : []
    };
  } catch (reason) {
    return { choices: [], notes: [visible(errorText(reason))] };
  }
}

/**
 * Let another model answer a cell and, unless the cell or one above names its model or agent, those
 * below it; and run the cell again.
 */
export async function answerWith(
  { panel, bareCell }: PageConnection,
  cellId: string,
  name: string,
  dialogs: ISessionContextDialogs | undefined
): Promise<void> {
  const { model } = panel.content;
  const index = indexOfCell(panel.content, cellId);
  const widget = panel.content.widgets[index];
  if (model === null || widget === undefined) {
    return;
  }
  const { agent, model: own } = factsOf(widget.model, bareCell ?? 'message');
  if (agent ?? own ?? firstChoice(model, ['agent', 'model'], index)) {
    setModel(model, widget.model, name);
  } else {
    setNotebook(model, { model: name });
  }
  await runCell(panel, widget, dialogs);
}
