import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  ellipsesIcon,
  refreshIcon,
  userIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import type { JSONObject, ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { History } from '../comm/historyMessages';
import { excludedIcon, sentIcon } from '../icons';
import { runCell } from '../live/newCell';
import { copyText } from '../render/copyText';
import { parseTurn } from '../turn/model';
import { selectedCells, type IActiveCell } from './activePrompt';
import { answerText, asMarkdown } from './answers';
import { chooseCellAgent } from './cellAgent';
import { HISTORIES, anchorOf, openMenu } from './cellMenu';
import { isSent } from './cellFacts';
import { setAgent, setHistory } from './changes';
import { chooseOtherModel } from './otherModel';
import { fork, retry } from './runs';

type Args = ReadonlyPartialJSONObject;

/** A command about the active cell of a chat. */
export interface ICellCommand {
  /** @param active - Null if no chat is in front. */
  readonly label: (active: IActiveCell | null, args: Args) => string;
  readonly icon?: LabIcon | ((active: IActiveCell | null) => LabIcon);
  readonly caption?: string;
  readonly args?: JSONObject;
  readonly inPalette: boolean;
  readonly fits: (active: IActiveCell, args: Args) => boolean;
  readonly isOn?: (active: IActiveCell, args: Args) => boolean;
  readonly run: (active: IActiveCell, args: Args) => void | Promise<void>;
}

/** Return the commands about the active cell, by id. */
export function cellCommands(
  app: JupyterFrontEnd,
  dialogs: ISessionContextDialogs | undefined,
  trans: TranslationBundle
): Record<string, ICellCommand> {
  return {
    ...agentCommands(dialogs, trans),
    ...historyCommands(trans),
    ...copyCommands(trans),
    'msgbook:run-again': {
      label: () => trans.__('Run Again'),
      icon: refreshIcon,
      inPalette: true,
      fits: isPrompt,
      run: ({ connection, widget }) =>
        runCell(connection.panel, widget, dialogs)
    },
    'msgbook:fork-conversation': {
      label: () => trans.__('Fork from Here'),
      caption: trans.__(
        'Start a new chat with the cells up to this one, in a file of its own'
      ),
      inPalette: true,
      fits: hasSomethingToFork,
      run: active => fork(app, active, trans)
    },
    'msgbook:open-cell-menu': {
      label: () => trans.__('More Actions with This Cell'),
      icon: ellipsesIcon,
      inPalette: false,
      fits: () => true,
      run: active => openMenu(app, active, trans)
    }
  };
}

function agentCommands(
  dialogs: ISessionContextDialogs | undefined,
  trans: TranslationBundle
): Record<string, ICellCommand> {
  return {
    'msgbook:choose-cell-agent': {
      label: () => trans.__('Agent of This Prompt…'),
      icon: userIcon,
      inPalette: true,
      fits: isPrompt,
      run: active =>
        chooseCellAgent(
          active,
          anchorOf(active, 'choose-cell-agent'),
          trans.__('Agent of this prompt'),
          trans,
          agent => setAgent(active.model, active.cell, agent)
        )
    },
    'msgbook:retry-with-agent': {
      label: () => trans.__('Retry with Another Agent…'),
      caption: trans.__(
        'Ask another agent in a new cell below; this cell stays and is excluded'
      ),
      inPalette: true,
      fits: active => isPrompt(active) && active.turn !== null,
      run: active =>
        chooseCellAgent(
          active,
          anchorOf(active, 'open-cell-menu'),
          trans.__('Agent that tries again'),
          trans,
          agent => retry(active, { agent }, dialogs),
          parseTurn(active.turn)?.agent
        )
    },
    'msgbook:retry-with-model': {
      label: () => trans.__('Retry with Another Model…'),
      caption: trans.__(
        'Ask another model in a new cell below; this cell stays and is excluded'
      ),
      inPalette: true,
      fits: active => isPrompt(active) && active.turn !== null,
      run: active =>
        chooseOtherModel(
          active.connection,
          active.cell.id,
          anchorOf(active, 'open-cell-menu'),
          trans,
          model => retry(active, { model }, dialogs)
        )
    }
  };
}

function historyCommands(
  trans: TranslationBundle
): Record<string, ICellCommand> {
  const isOut = (active: IActiveCell | null) =>
    active?.facts.history === 'exclude';
  const labels: Record<History, string> = {
    include: trans.__('Include in Requests'),
    exclude: trans.__('Exclude from Requests'),
    summary: trans.__('Send a Summary')
  };
  return {
    'msgbook:set-history': {
      label: (_, { history }) => labels[historyArg(history)],
      args: {
        history: {
          type: 'string',
          enum: [...HISTORIES],
          description: trans.__('What requests below get of the selected cells')
        }
      },
      inPalette: false,
      fits: active => isSent(active.facts.kind),
      isOn: (active, { history }) =>
        active.facts.history === historyArg(history),
      run: (active, { history }) =>
        setHistory(active.model, sentCells(active), historyArg(history))
    },
    'msgbook:toggle-history': {
      label: active => (isOut(active) ? labels.include : labels.exclude),
      icon: active => (isOut(active) ? excludedIcon : sentIcon),
      inPalette: false,
      fits: active => isSent(active.facts.kind),
      run: active =>
        setHistory(
          active.model,
          sentCells(active),
          isOut(active) ? 'include' : 'exclude'
        )
    }
  };
}

function copyCommands(trans: TranslationBundle): Record<string, ICellCommand> {
  return {
    'msgbook:copy-answer': {
      label: () => trans.__('Copy Answer'),
      caption: trans.__('Copy the answer as the model wrote it'),
      inPalette: true,
      fits: ({ turn }) => answerText(turn) !== '',
      run: ({ turn }) => copyText(answerText(turn))
    },
    'msgbook:copy-as-markdown': {
      label: () => trans.__('Copy as Markdown'),
      caption: trans.__('Copy the prompt, quoted, and its answer'),
      inPalette: true,
      fits: isPrompt,
      run: ({ cell, turn }) =>
        copyText(asMarkdown(cell.sharedModel.getSource(), turn))
    }
  };
}

/** The message with which an empty chat begins is in no file. */
function hasSomethingToFork({ index, cell }: IActiveCell): boolean {
  return index > 0 || cell.sharedModel.getSource().trim() !== '';
}

function isPrompt({ facts }: IActiveCell): boolean {
  return facts.kind === 'prompt';
}

function historyArg(value: unknown): History {
  return HISTORIES.find(history => history === value) ?? 'include';
}

/** Return the selected cells, if the active one is among several. */
function sentCells(active: IActiveCell) {
  return selectedCells(active).filter(
    cell => cell.type !== 'raw' && cell.sharedModel.getSource().trim() !== ''
  );
}
