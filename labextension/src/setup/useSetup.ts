import type { TranslationBundle } from '@jupyterlab/translation';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { errorText } from '../turn/text';
import {
  asParams,
  EMPTY,
  type IFields,
  type IFinding,
  type IPreview,
  type ISetupState,
  parseFindings,
  parsePreview,
  parseState,
  withPreset
} from './fields';
import type { JSONObject } from '@lumino/coreutils';
import { asText, asTexts } from '../turn/reading';

/** Run a question; show that it runs, and its error. */
export type Run = (what: string, ask: () => Promise<void>) => void;

/** What the form holds, and what a person can do with it. */
export interface ISetup {
  /** Null before the kernel has answered. */
  readonly state: ISetupState | null;
  readonly fields: IFields;
  readonly models: readonly string[];
  readonly findings: readonly IFinding[] | null;
  /** What runs; empty for nothing. */
  readonly busy: string;
  readonly problem: string;
  readonly keyField: RefObject<HTMLInputElement>;
  readonly run: Run;
  readonly start: () => void;
  readonly change: (changed: Partial<IFields>) => void;
  readonly choose: (name: string) => void;
  readonly closeModels: () => void;
  readonly listModels: () => void;
  readonly test: () => void;
}

/** Hold what a person enters, and ask the kernel. */
export function useSetup(steps: SetupSteps, trans: TranslationBundle): ISetup {
  const [state, setState] = useState<ISetupState | null>(null);
  const [fields, setFields] = useState<IFields>(EMPTY);
  const { busy, problem, run } = useAsking();
  const server = useServer(steps, trans, run);
  // The key is in its field alone.
  const keyField = useRef<HTMLInputElement>(null);
  const key = () => keyField.current?.value ?? '';

  const change = (changed: Partial<IFields>) => {
    setFields({ ...fields, ...changed });
    server.setFindings(null);
  };
  const start = () =>
    run(trans.__('Starting a kernel…'), async () => {
      const found = await steps.state();
      setState(found);
      setFields(found.current ?? withPreset(found.presets[0], found.keyring));
    });
  useEffect(start, []);
  const choose = (name: string) => {
    const preset = state?.presets.find(found => found.name === name);
    setFields(withPreset(preset, state?.keyring ?? null));
    server.forget();
    if (keyField.current) {
      keyField.current.value = '';
    }
  };
  const { models, findings } = server;
  const listModels = () =>
    server.listModels(fields, key(), model => change({ model }));
  const test = () => server.test(fields, key());
  return {
    state,
    fields,
    models,
    findings,
    busy,
    problem,
    keyField,
    run,
    start,
    change,
    choose,
    closeModels: server.closeModels,
    listModels,
    test
  };
}

/** Ask the server that the form names, and hold what it answers. */
function useServer(steps: SetupSteps, trans: TranslationBundle, run: Run) {
  const [models, setModels] = useState<readonly string[]>([]);
  const [findings, setFindings] = useState<readonly IFinding[] | null>(null);
  const listModels = (
    fields: IFields,
    key: string,
    chooseOnly: (model: string) => void
  ) =>
    run(trans.__('Asking the server for its models…'), async () => {
      const listed = await steps.models(fields, key);
      setModels(listed.length > 1 ? listed : []);
      if (listed.length === 1) {
        chooseOnly(listed[0]);
      }
    });
  const test = (fields: IFields, key: string) =>
    run(trans.__('Testing the model…'), async () =>
      setFindings(await steps.test(fields, key))
    );
  const forget = () => {
    setModels([]);
    setFindings(null);
  };
  const closeModels = () => setModels([]);
  return {
    models,
    findings,
    setFindings,
    forget,
    closeModels,
    listModels,
    test
  };
}

/** Ask one question at a time. */
function useAsking(): Pick<ISetup, 'busy' | 'problem' | 'run'> {
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  const run: Run = (what, ask) => {
    if (busy !== '') {
      return;
    }
    setBusy(what);
    setProblem('');
    ask()
      .catch((error: unknown) => setProblem(errorText(error)))
      .finally(() => setBusy(''));
  };
  return { busy, problem, run };
}

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

/** Hands the server of the page a key to keep in its memory; rejects with its reason. */
export type KeepKey = (server: string, key: string) => Promise<void>;

/** The questions of the form to its kernel. Only these send the key, and nothing keeps it. */
export class SetupSteps {
  constructor(
    private readonly _ask: Ask,
    private readonly _keepKey: KeepKey
  ) {}

  async state(): Promise<ISetupState> {
    return parseState(await this._ask('setup.state'));
  }

  async models(fields: IFields, key: string): Promise<string[]> {
    const { models } = await this._about('models', fields, key, LIST_PATIENCE);
    return asTexts(models);
  }

  async test(fields: IFields, key: string): Promise<IFinding[]> {
    return parseFindings(await this._about('test', fields, key, TEST_PATIENCE));
  }

  async preview(fields: IFields, key: string): Promise<IPreview> {
    return parsePreview(await this._about('preview', fields, key));
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

  private _about(
    name: string,
    fields: IFields,
    key: string,
    patience?: number
  ): Promise<JSONObject> {
    return this._ask(`setup.${name}`, asParams(fields), patience, key);
  }
}
