import { forEachConnection, plugin } from './plugin';
import { ICommandPalette, ISessionContextDialogs } from '@jupyterlab/apputils';
import { CodeToolbar } from '../code/codeToolbar';
import { NotebookCode } from '../code/notebookCode';
import { bareCellIn } from '../live/chatNotebook';
import type { PageConnection } from '../live/pageConnection';
import { IPageConnections } from '../tokens';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';
import type { JSONObject } from '@lumino/coreutils';
import { activeCell, type IActiveCell } from '../cells/activePrompt';
import { cellCommands, HISTORIES, type ICellCommand } from '../cells/commands';
import { KINDS } from '../cells/kinds';
import { showBrought } from '../cells/brought';
import { offerHelp } from '../cells/errorActions';
import { CellMarks } from '../cells/marks';
import { answerWith, chooseOtherModel } from '../cells/otherModel';

/** Plugin that lets a person use the code of an answer: copy, insert, run, save. */
export const codeInAnswersPlugin = plugin({
  id: '@msgbook/labextension:code-in-answers',
  description: 'Adds buttons to the code in answers.',
  requires: [IPageConnections],
  optional: [ISessionContextDialogs],
  activate: (app, trans, connections, dialogs) => {
    const join = ({ panel }: PageConnection) => {
      const actions = new NotebookCode(
        panel,
        app.serviceManager.contents,
        trans,
        dialogs ?? undefined,
        () => bareCellIn(panel.sessionContext) === 'message'
      );
      new CodeToolbar(panel.content.node, actions, trans);
    };
    forEachConnection(connections, join);
  }
});

/** Plugin that lets a person act on the cells of a chat, and marks what the model gets of them. */
export const cellsPlugin = plugin({
  id: '@msgbook/labextension:cells',
  description:
    'Adds commands to the cells of a chat, and marks what the model gets of each.',
  requires: [INotebookTracker, IPageConnections],
  optional: [ICommandPalette, ISessionContextDialogs],
  activate: (app, trans, notebooks, connections, palette, dialogs) => {
    const { commands } = app;
    const all = cellCommands(app, dialogs ?? undefined, trans);
    addCommands(commands, all, () => activeCell(connections));
    if (palette !== null) {
      offer(palette, all, trans.__('Chat'));
    }

    let isDue = false;
    // Several marks may change at once.
    const update = () => {
      if (!isDue) {
        isDue = true;
        queueMicrotask(() => {
          isDue = false;
          Object.keys(all).forEach(id => commands.notifyCommandChanged(id));
        });
      }
    };
    notebooks.activeCellChanged.connect(update);
    connections.currentChanged.connect(update);
    const join = (connection: PageConnection) => {
      connection.chooseModel = (cellId, anchor) =>
        chooseOtherModel(connection, cellId, anchor, trans, name => {
          void answerWith(connection, cellId, name, dialogs ?? undefined);
        });
      showBrought(connection, trans);
      // An answer can be copied, and asked for again from others.
      connection.turnEnded.connect(update);
      offerHelp(connection.panel, trans, dialogs ?? undefined);
      return new CellMarks(connection.panel, trans, cell => {
        // The commands tell of these cells only, and a long chat marks many others.
        if (connection.panel.content.isSelectedOrActive(cell)) {
          update();
        }
      });
    };
    forEachConnection(connections, join);
  }
});

type Commands = Readonly<Record<string, ICellCommand>>;

function addCommands(
  commands: CommandRegistry,
  all: Commands,
  active: () => IActiveCell | null
): void {
  for (const [id, command] of Object.entries(all)) {
    const { icon, caption, args } = command;
    commands.addCommand(id, {
      icon: typeof icon === 'function' ? () => icon(active()) : icon,
      describedBy: {
        args: { type: 'object', properties: { ...args } }
      },
      isEnabled: args => {
        const found = active();
        return found !== null && command.fits(found, args);
      },
      isToggled: args => {
        const found = active();
        return found !== null && (command.isOn?.(found, args) ?? false);
      },
      isVisible: args => args.isPalette !== true || active() !== null,
      // A toolbar shows the icon alone.
      label: args =>
        args.toolbar === true ? '' : command.label(active(), args),
      caption: args => caption ?? command.label(active(), args),
      execute: async args => {
        const found = active();
        if (found !== null && command.fits(found, args)) {
          await command.run(found, args);
        }
      }
    });
  }
}

/** Offer commands in the palette. */
function offer(palette: ICommandPalette, all: Commands, category: string) {
  const add = (command: string, args: JSONObject = {}) =>
    palette.addItem({ command, category, args: { ...args, isPalette: true } });
  for (const [id, { inPalette }] of Object.entries(all)) {
    if (inPalette) {
      add(id);
    }
  }
  HISTORIES.forEach(history => add('msgbook:set-history', { history }));
  KINDS.forEach(kind => add('msgbook:set-kind', { kind }));
}
