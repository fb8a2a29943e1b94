import type { JSONObject } from '@lumino/coreutils';

import { asObjects, asText, asTexts } from '../turn/model';

/** Where the key of a server is. */
export type KeyPlace = 'none' | 'variable' | 'keyring';

/** What a person has entered, without the key. */
export interface IFields {
  /** Name of the provider in the settings. */
  readonly name: string;
  readonly baseUrl: string;
  readonly keyFrom: KeyPlace;
  readonly keyVariable: string;
  readonly model: string;
  /** Empty for the default of the server. */
  readonly api: string;
}

/** A server to choose by name. */
export interface IPreset {
  readonly name: string;
  readonly title: string;
  readonly baseUrl: string;
  /** Empty for a server without keys. */
  readonly keyVariable: string;
}

/** What the kernel says before anything is entered. */
export interface ISetupState {
  readonly path: string;
  readonly exists: boolean;
  /** Variables of the environment that go before the file. */
  readonly overriding: readonly string[];
  /** Name of the system's keyring; null if none works. */
  readonly keyring: string | null;
  readonly presets: readonly IPreset[];
}

/** One result of a test. */
export interface IFinding {
  readonly check: string;
  readonly status: string;
  readonly words: string;
  readonly advice: string;
}

/** Name of a provider that is none of the presets. */
export const OTHER = 'main';

export const EMPTY: IFields = {
  name: OTHER,
  baseUrl: '',
  keyFrom: 'none',
  keyVariable: '',
  model: '',
  api: ''
};

/** Return the fields with what a preset says, and no model. */
export function withPreset(
  preset: IPreset | undefined,
  keyring: string | null
): IFields {
  if (preset === undefined) {
    return EMPTY;
  }
  const { name, baseUrl, keyVariable } = preset;
  const place = keyring === null ? 'variable' : 'keyring';
  const keyFrom = keyVariable ? place : 'none';
  return { ...EMPTY, name, baseUrl, keyVariable, keyFrom };
}

/** Return the fields as parameters of a query. */
export function asParams(fields: IFields): JSONObject {
  return {
    name: fields.name,
    base_url: fields.baseUrl,
    key_from: fields.keyFrom,
    key_variable: fields.keyVariable,
    model: fields.model,
    api: fields.api
  };
}

/** Return the kernel's answer to `setup.state`, without what has the wrong type. */
export function parseState(answer: JSONObject): ISetupState {
  return {
    path: asText(answer.path) ?? '',
    exists: answer.exists === true,
    overriding: asTexts(answer.overriding),
    keyring: asText(answer.keyring) ?? null,
    presets: asObjects(answer.presets).map(preset => ({
      name: asText(preset.name) ?? OTHER,
      title: asText(preset.title) ?? '',
      baseUrl: asText(preset.base_url) ?? '',
      keyVariable: asText(preset.key_variable) ?? ''
    }))
  };
}

/** Return the findings of an answer to `setup.test`. */
export function parseFindings(answer: JSONObject): IFinding[] {
  return asObjects(answer.findings).map(finding => ({
    check: asText(finding.check) ?? '',
    status: asText(finding.status) ?? 'unknown',
    words: asText(finding.words) ?? '',
    advice: asText(finding.advice) ?? ''
  }));
}

/** One line of the new file. */
export interface IFileLine {
  readonly text: string;
  readonly isNew: boolean;
}

/** Return the lines of the new file; those that the old one has not, in order, are new. */
export function fileLines(old: string, text: string): IFileLine[] {
  const before = split(old);
  let at = 0;
  return split(text).map(line => {
    const found = before.indexOf(line, at);
    if (found >= 0) {
      at = found + 1;
    }
    return { text: line, isNew: found < 0 };
  });
}

function split(text: string): string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}
