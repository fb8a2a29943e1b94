import type { JSONObject } from '@lumino/coreutils';
import {
  asText,
  asTexts,
  fields,
  isObject,
  isTrue,
  listOf,
  oneOf,
  or,
  textOrEmpty
} from '../turn/reading';

/** Where the key of a server is. */
const asKeyPlace = oneOf('none', 'session', 'keyring', 'file', 'variable');

export type KeyPlace = NonNullable<ReturnType<typeof asKeyPlace>>;

/** Name of a provider that is none of the presets. */
export const OTHER = 'main';

/** What a person has entered, without the key. */
const parseFields = fields({
  /** Name of the provider in the settings. */
  name: or(asText, OTHER),
  baseUrl: textOrEmpty,
  keyFrom: or(asKeyPlace, 'none'),
  keyVariable: textOrEmpty,
  model: textOrEmpty,
  /** Empty for the default of the server. */
  api: textOrEmpty
});

export type IFields = ReturnType<typeof parseFields>;

/** A server to choose by name. */
const parsePreset = fields({
  name: or(asText, OTHER),
  title: textOrEmpty,
  baseUrl: textOrEmpty,
  /** Empty for a server without keys. */
  keyVariable: textOrEmpty,
  /** Empty for the default of the server. */
  api: textOrEmpty
});

export type IPreset = ReturnType<typeof parsePreset>;

/** Return what the kernel says before anything is entered: its answer to `setup.state`. */
export const parseState = fields({
  path: textOrEmpty,
  exists: isTrue,
  /** Variables of the environment that go before the file. */
  overriding: asTexts,
  /** Name of the system's keyring; null if none works. */
  keyring: or(asText, null),
  presets: listOf(parsePreset),
  /** What answers now, as it was entered; null if nothing is connected that the form could show. */
  current: value => (isObject(value) ? parseFields(value) : null)
});

export type ISetupState = ReturnType<typeof parseState>;

/** One result of a test. */
const parseFinding = fields({
  check: textOrEmpty,
  status: or(asText, 'unknown'),
  words: textOrEmpty,
  advice: textOrEmpty
});

export type IFinding = ReturnType<typeof parseFinding>;

const readTest = fields({ findings: listOf(parseFinding) });

/** Return the findings of an answer to `setup.test`. */
export function parseFindings(answer: unknown): IFinding[] {
  return readTest(answer).findings;
}

/** Return the file as it would be saved: an answer to `setup.preview`. */
export const parsePreview = fields({
  path: textOrEmpty,
  old: textOrEmpty,
  text: textOrEmpty,
  /** Names this text when it is saved. */
  digest: textOrEmpty,
  /** Base URL of the server, for which a key of the session is kept. */
  server: textOrEmpty
});

export type IPreview = ReturnType<typeof parsePreview>;

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
