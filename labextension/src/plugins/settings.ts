import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';
import { Signal, type ISignal } from '@lumino/signaling';

import { IChatSettings } from '../tokens';

/** The settings that schema/settings.json describes, with their defaults. */
const DEFAULTS = {
  saveTurns: true,
  offerName: true,
  offerPython: true,
  promptsAsProse: true,
  wrapPrompts: true,
  /** Whether only the cells in view are laid out. */
  windowing: true,
  completePrompts: true,
  previewCompletions: true,
  searchAnswers: true,
  /** Seconds; 0 for never. */
  notifyAfter: 30,
  notifyQuestions: true,
  notifyInBrowser: false
};

export type ISettings = Readonly<typeof DEFAULTS>;

/** The user's settings; the defaults until they are read, and where there is no registry. */
export class ChatSettings {
  /** Emitted when any setting has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get<K extends keyof ISettings>(key: K): ISettings[K] {
    return this._values[key] ?? DEFAULTS[key];
  }

  /** Save a setting; without a registry it holds until the page is closed. */
  async set<K extends keyof ISettings>(
    key: K,
    value: ISettings[K]
  ): Promise<void> {
    this.take({ ...this._values, [key]: value });
    await this._save?.(key, value);
  }

  /** @param save - Saves values that are set from now on. */
  take(values: Partial<ISettings>, save = this._save): void {
    this._values = values;
    this._save = save;
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _values: Partial<ISettings> = {};
  private _save:
    | ((key: string, value: string | boolean | number) => Promise<void>)
    | undefined;
}

/** Plugin that reads the user's settings of chats. */
export const settingsPlugin: JupyterFrontEndPlugin<ChatSettings> = {
  id: '@msgbook/labextension:settings',
  description: 'Reads the settings of chats.',
  autoStart: true,
  provides: IChatSettings,
  optional: [ISettingRegistry, ITranslator],
  activate: (
    _: JupyterFrontEnd,
    registry: ISettingRegistry | null,
    translator: ITranslator | null
  ) => {
    const settings = new ChatSettings();
    const english = (translator?.languageCode ?? 'en') === 'en';
    // The server translates the schemas of extensions only when it is asked for one.
    (english
      ? registry?.load(settingsPlugin.id)
      : registry?.reload(settingsPlugin.id)
    )?.then(
      loaded => {
        const take = () =>
          settings.take(loaded.composite, (key, value) =>
            loaded.set(key, value)
          );
        loaded.changed.connect(take);
        take();
      },
      (reason: unknown) =>
        console.error('The settings of chats cannot be read.', reason)
    );
    return settings;
  }
};
