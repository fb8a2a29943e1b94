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
}

/** The questions of the form to its kernel. Only these send the key, and nothing keeps it. */
export class SetupSteps {
  constructor(ask: Ask) {
    this._ask = ask;
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
      digest: asText(answer.digest) ?? ''
    };
  }

  /** Save; return the name of the copy of the old file, empty without one. */
  async save(fields: IFields, key: string, digest: string): Promise<string> {
    const params = { ...asParams(fields), digest };
    // A keyring may ask for its password first.
    const answer = await this._ask('setup.save', params, LIST_PATIENCE, key);
    return asText(answer.backup) ?? '';
  }

  private readonly _ask: Ask;
}
