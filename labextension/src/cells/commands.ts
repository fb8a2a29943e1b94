import type { JupyterFrontEnd } from '@jupyterlab/application';
import {
  type ISessionContextDialogs,
  showErrorMessage
} from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  copyIcon,
  ellipsesIcon,
  type LabIcon,
  MenuSvg,
  refreshIcon,
  userIcon
} from '@jupyterlab/ui-components';
import type { JSONObject, ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { asHistory, type History } from '../comm/turnMessages';
import { excludedIcon, sentIcon } from '../icons';
import { runCell } from '../live/documentChanges';
import { copyText } from '../render/dom';
import { parseTurn } from '../turn/model';
import { asText } from '../turn/reading';
import { type IActiveCell, selectedCells } from './activePrompt';
import {
  chooseCellAgent,
  insertRetry,
  type Other,
  setAgent,
  setHistory
} from './changes';
import { isSent, withoutMsgLine } from './cellFacts';
import { chooseKind, kindOfCell, selectedKind } from './changeKind';
import { type Kind, KINDS } from './kinds';
import { kindName } from './kindSwitcher';
import { chooseOtherModel } from './otherModel';
import type { TurnJson } from '../turn/delta';
import { PathExt } from '@jupyterlab/coreutils';
import { pathBeside } from '../files/beside';
import { errorText } from '../turn/text';
import { openNotebook } from '../live/chatNotebook';
import { idInFile } from '../live/messageReady';

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
    ...kindCommands(trans),
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

function kindCommands(trans: TranslationBundle): Record<string, ICellCommand> {
  const mayChange = ({ model }: IActiveCell) => !model.readOnly;
  return {
    'msgbook:set-kind': {
      label: (_, { kind }) =>
        trans.__('Make the Cell: %1', kindName(kindArg(kind), trans)),
      args: {
        kind: {
          type: 'string',
          enum: [...KINDS],
          description: trans.__('What the selected cells become')
        }
      },
      inPalette: false,
      fits: mayChange,
      isOn: ({ notebook, bare }, { kind }) =>
        selectedKind(notebook, bare) === kindArg(kind),
      run: ({ notebook, bare }, { kind }) =>
        chooseKind(notebook, kindArg(kind), bare)
    },
    'msgbook:switch-kind': {
      label: () => trans.__('Switch between Message and Python'),
      caption: trans.__('Make a message of a cell, or Python of a message'),
      inPalette: true,
      fits: mayChange,
      run: ({ notebook, widget, bare }) => {
        const isMessage = kindOfCell(widget, bare) === 'message';
        return chooseKind(notebook, isMessage ? 'python' : 'message', bare);
      }
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
      icon: copyIcon,
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

function kindArg(value: unknown): Kind {
  return KINDS.find(kind => kind === value) ?? 'message';
}

function historyArg(value: unknown): History {
  return asHistory(value) ?? 'include';
}

/** Return the selected cells, if the active one is among several. */
function sentCells(active: IActiveCell) {
  return selectedCells(active).filter(
    cell => cell.type !== 'raw' && cell.sharedModel.getSource().trim() !== ''
  );
}

/** Return the text of a turn as the model wrote it, without reasoning and calls; empty if there is none. */
export function answerText(turn: TurnJson | null): string {
  const blocks = parseTurn(turn)?.blocks ?? [];
  return blocks
    .map(block => (block.type === 'text' ? asText(block.text) : undefined))
    .filter(text => text !== undefined)
    .join('\n\n');
}

/** Return a prompt, quoted, and its answer as Markdown. */
export function asMarkdown(source: string, turn: TurnJson | null): string {
  const quoted = withoutMsgLine(source)
    .trim()
    .split('\n')
    .map(line => `> ${line}`.trimEnd());
  return [quoted.join('\n'), answerText(turn)]
    .filter(text => text !== '')
    .join('\n\n');
}

/** What requests can get of a cell, in the order of menus. */
export const HISTORIES: readonly History[] = ['include', 'exclude', 'summary'];

/** Open the menu with all commands at the button of the cell's toolbar. */
export function openMenu(
  { commands }: JupyterFrontEnd,
  active: IActiveCell,
  trans: TranslationBundle
): void {
  const menu = new MenuSvg({ commands });
  menu.title.label = trans.__('Chat');
  const add = (command: string, args: JSONObject = {}) =>
    menu.addItem({ command, args });
  add('msgbook:choose-cell-agent');
  add('msgbook:run-again');
  add('msgbook:retry-with-model');
  add('msgbook:retry-with-agent');
  menu.addItem({ type: 'separator' });
  HISTORIES.forEach(history => add('msgbook:set-history', { history }));
  menu.addItem({ type: 'separator' });
  add('msgbook:copy-answer');
  add('msgbook:copy-as-markdown');
  add('msgbook:fork-conversation');
  const { left, bottom } = anchorOf(
    active,
    'open-cell-menu'
  ).getBoundingClientRect();
  menu.aboutToClose.connect(() => requestAnimationFrame(() => menu.dispose()));
  menu.open(left, bottom);
}

/** Return the element at which a command opens what it shows. */
export function anchorOf({ widget }: IActiveCell, command: string): Element {
  const button = widget.node.querySelector<HTMLElement>(
    `.jp-cell-toolbar [data-command='msgbook:${command}']`
  );
  const isShown = button !== null && button.getClientRects().length > 0;
  return isShown ? button : (widget.promptNode ?? widget.node);
}

/** Run a copy of the active prompt with another agent or model. */
export function retry(
  active: IActiveCell,
  other: Other,
  dialogs: ISessionContextDialogs | undefined
): void {
  const index = Array.from(active.model.cells).indexOf(active.cell);
  if (index === -1) {
    return;
  }
  const copy = insertRetry(active.model, index, other);
  active.notebook.activeCellIndex = copy;
  void runCell(active.connection.panel, active.notebook.widgets[copy], dialogs);
}

/** Save the notebook, let the kernel fork the file, and open the new one. */
export async function fork(
  app: JupyterFrontEnd,
  { connection, model, cell }: IActiveCell,
  trans: TranslationBundle
): Promise<void> {
  const { context } = connection.panel;
  try {
    await context.save();
    const answer = await connection.queries.ask('conversation.fork', {
      name: PathExt.basename(context.path),
      cell_id: idInFile(model, cell.id)
    });
    const name = asText(answer.name) ?? '';
    const { contents } = app.serviceManager;
    await openNotebook(app, pathBeside(contents, context.path, name));
  } catch (reason) {
    await showErrorMessage(
      trans.__('The chat was not forked'),
      errorText(reason)
    );
  }
}
