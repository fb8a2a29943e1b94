import type { JSONObject } from '@lumino/coreutils';

import { asObjects, asText, asTexts, isObject } from '../turn/model';

/** Where the key of a server is. */
export type KeyPlace = 'none' | 'session' | 'keyring' | 'file' | 'variable';

const PLACES: readonly KeyPlace[] = [
  'none',
  'session',
  'keyring',
  'file',
  'variable'
];

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
  /** Empty for the default of the server. */
  readonly api: string;
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
  /** What answers now, as it was entered; null if nothing is connected that the form could show. */
  readonly current: IFields | null;
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
  const { name, baseUrl, keyVariable, api } = preset;
  const place = keyring === null ? 'session' : 'keyring';
  const keyFrom = keyVariable ? place : 'none';
  return { ...EMPTY, name, baseUrl, keyVariable, keyFrom, api };
}

/** Return the name of the preset with the fields' server; that of another server if there is none. */
export function presetOf(
  { baseUrl }: IFields,
  presets: readonly IPreset[]
): string {
  const bare = (url: string) => url.trim().replace(/\/+$/, '');
  const found = presets.find(preset => bare(preset.baseUrl) === bare(baseUrl));
  return found?.name ?? OTHER;
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
      keyVariable: asText(preset.key_variable) ?? '',
      api: asText(preset.api) ?? ''
    })),
    current: isObject(answer.current) ? parseFields(answer.current) : null
  };
}

function parseFields(fields: Record<string, unknown>): IFields {
  const keyFrom = PLACES.find(place => place === fields.key_from) ?? 'none';
  return {
    name: asText(fields.name) ?? OTHER,
    baseUrl: asText(fields.base_url) ?? '',
    keyFrom,
    keyVariable: asText(fields.key_variable) ?? '',
    model: asText(fields.model) ?? '',
    api: asText(fields.api) ?? ''
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
