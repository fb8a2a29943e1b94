import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { ILauncher } from '@jupyterlab/launcher';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { JSONObject } from '@lumino/coreutils';

/** Ids of the commands that more than one plugin names. */
export const CommandIDs = {
  newChat: 'msgbook:new-chat',
  newChatFile: 'msgbook:new-chat-file',
  connectModel: 'msgbook:connect-model',
  openTour: 'msgbook:open-tour'
} as const;

/** Rank of the section "Chat" in the launcher, below "Notebook" and above "Console". */
const LAUNCHER_RANK = 10;

/** Return the JSON schema of a command's arguments. */
export function describeArguments(
  trans: TranslationBundle,
  ...names: ('cwd' | 'isPalette')[]
): JSONObject {
  const known = {
    cwd: {
      type: 'string',
      description: trans.__(
        'Folder of the new file; by default the one of the file browser'
      )
    },
    isPalette: {
      type: 'boolean',
      description: trans.__('Whether the label is for the palette')
    }
  };
  return {
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, known[name]]))
  };
}

/** Add a command without arguments, also to the palette. */
export function addCommand(
  { commands }: JupyterFrontEnd,
  palette: ICommandPalette | null,
  trans: TranslationBundle,
  command: string,
  options: CommandRegistry.ICommandOptions
): void {
  commands.addCommand(command, {
    describedBy: { args: { type: 'object', properties: {} } },
    ...options
  });
  palette?.addItem({ command, category: trans.__('Chat') });
}

/** Where a page may offer commands. */
export interface ICommandPlaces {
  readonly launcher: ILauncher | null;
  readonly palette: ICommandPalette | null;
  readonly trans: TranslationBundle;
}

/** Offer a command in the sections "Chat" of the launcher and the palette. */
export function offerCommand(
  { launcher, palette, trans }: ICommandPlaces,
  command: string,
  rank: number
): void {
  const category = trans.__('Chat');
  launcher?.add({ command, category, categoryRank: LAUNCHER_RANK, rank });
  palette?.addItem({ command, category, args: { isPalette: true } });
}
