import type { JSONObject } from '@lumino/coreutils';

import { asText, asTexts } from '../turn/model';
import {
  asParams,
  parseFindings,
  parseState,
  type IFields,
  type IFinding,
  type ISetupState
} from './fields';

/** Milliseconds to wait for a server's list of models, longer than the kernel waits. */
const LIST_PATIENCE = 30_000;

/** Milliseconds to wait for a test: several requests, and a model that may have to be loaded. */
const TEST_PATIENCE = 300_000;

/** Asks the kernel; rejects with an error for the reader. */
export type Ask = (
  name: string,
  params?: JSONObject,
  patience?: number,
  secret?: string
) => Promise<JSONObject>;

/** The file as it would be saved. */
export interface IPreview {
  readonly path: string;
  readonly old: string;
  readonly text: string;
  /** Names this text when it is saved. */
  readonly digest: string;
  /** Base URL of the server, for which a key of the session is kept. */
  readonly server: string;
}

/** Hands the server of the page a key to keep in its memory; rejects with its reason. */
export type KeepKey = (server: string, key: string) => Promise<void>;

/** The questions of the form to its kernel. Only these send the key, and nothing keeps it. */
export class SetupSteps {
  constructor(ask: Ask, keepKey: KeepKey) {
    this._ask = ask;
    this._keepKey = keepKey;
  }

  async state(): Promise<ISetupState> {
    return parseState(await this._ask('setup.state'));
  }

  async models(fields: IFields, key: string): Promise<string[]> {
    const answer = await this._ask(
      'setup.models',
      asParams(fields),
      LIST_PATIENCE,
      key
    );
    return asTexts(answer.models);
  }

  async test(fields: IFields, key: string): Promise<IFinding[]> {
    return parseFindings(
      await this._ask('setup.test', asParams(fields), TEST_PATIENCE, key)
    );
  }

  async preview(fields: IFields, key: string): Promise<IPreview> {
    const answer = await this._ask(
      'setup.preview',
      asParams(fields),
      undefined,
      key
    );
    return {
      path: asText(answer.path) ?? '',
      old: asText(answer.old) ?? '',
      text: asText(answer.text) ?? '',
      digest: asText(answer.digest) ?? '',
      server: asText(answer.server) ?? ''
    };
  }

  /**
   * Save; return the name of the copy of the old file, empty without one.
   *
   * @param shown - The change, as it was shown.
   */
  async save(fields: IFields, key: string, shown: IPreview): Promise<string> {
    if (fields.keyFrom === 'session' && key !== '') {
      await this._keepKey(shown.server, key);
    }
    const params = { ...asParams(fields), digest: shown.digest };
    // A keyring may ask for its password first.
    const answer = await this._ask('setup.save', params, LIST_PATIENCE, key);
    return asText(answer.backup) ?? '';
  }

  private readonly _ask: Ask;
  private readonly _keepKey: KeepKey;
}
