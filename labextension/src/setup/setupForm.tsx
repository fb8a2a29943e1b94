import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import React, { useEffect, useRef, useState } from 'react';

import { errorText } from '../live/errorText';
import {
  EMPTY,
  withPreset,
  type IFields,
  type IFinding,
  type ISetupState
} from './fields';
import { KeyField } from './keyField';
import { SavePart } from './savePart';
import type { SetupSteps } from './setupSteps';
import { Findings, Overriding, Problem } from './setupMessages';

export interface ISetupFormProps {
  readonly steps: SetupSteps;
  readonly trans: TranslationBundle;
  /** Called when the settings are saved. */
  readonly saved: () => void;
  /** Number of open chats whose kernels have the old settings. */
  readonly openChats: () => number;
  readonly restartChats: () => Promise<void>;
  readonly newChat: () => void;
}

/** Run a question; show that it runs, and its error. */
export type Run = (what: string, ask: () => Promise<void>) => void;

/** The URL of Ollama. */
const EXAMPLE = 'http://localhost:11434/v1';

/** The form that connects a model: server, key, model, a test, and the file. */
export function SetupForm(props: ISetupFormProps): JSX.Element {
  const { steps, trans } = props;
  const [state, setState] = useState<ISetupState | null>(null);
  const [fields, setFields] = useState<IFields>(EMPTY);
  const [models, setModels] = useState<readonly string[]>([]);
  const [findings, setFindings] = useState<readonly IFinding[] | null>(null);
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  // The key is in its field alone.
  const keyField = useRef<HTMLInputElement>(null);
  const key = () => keyField.current?.value ?? '';

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
  const change = (changed: Partial<IFields>) => {
    setFields({ ...fields, ...changed });
    setFindings(null);
  };
  const start = () =>
    run(trans.__('Starting a kernel…'), async () =>
      setState(await steps.state())
    );
  useEffect(start, []);

  const listModels = () =>
    run(trans.__('Asking the server for its models…'), async () => {
      const listed = await steps.models(fields, key());
      setModels(listed);
      if (listed.length === 1) {
        change({ model: listed[0] });
      }
    });
  const test = () =>
    run(trans.__('Testing the model…'), async () =>
      setFindings(await steps.test(fields, key()))
    );
  const choose = (name: string) => {
    const preset = state?.presets.find(found => found.name === name);
    setFields(withPreset(preset, state?.keyring ?? null));
    setModels([]);
    setFindings(null);
    if (keyField.current) {
      keyField.current.value = '';
    }
  };

  if (state === null) {
    return (
      <div className="msgbook-Setup">
        <h1>{trans.__('Connect a Model')}</h1>
        <p role="status">{busy}</p>
        <Problem text={problem} />
        {problem !== '' && (
          <button className="jp-mod-styled jp-mod-accept" onClick={start}>
            {trans.__('Try Again')}
          </button>
        )}
      </div>
    );
  }
  return (
    <div className="msgbook-Setup">
      <h1>{trans.__('Connect a Model')}</h1>
      <p>
        {trans.__(
          'Choose the server that answers your messages. Nothing is sent until you press a button.'
        )}
      </p>
      <Overriding names={state.overriding} trans={trans} />
      <fieldset disabled={busy !== ''}>
        <label>
          {trans.__('Provider')}
          <HTMLSelect
            value={fields.name}
            onChange={event => choose(event.target.value)}
          >
            <option value={EMPTY.name}>{trans.__('Another server')}</option>
            {state.presets.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </HTMLSelect>
        </label>
        <label>
          {trans.__('URL')}
          <input
            className="jp-mod-styled"
            type="url"
            spellCheck={false}
            placeholder={EXAMPLE}
            value={fields.baseUrl}
            onChange={event => change({ baseUrl: event.target.value })}
          />
        </label>
        <KeyField
          fields={fields}
          keyring={state.keyring}
          change={change}
          field={keyField}
          trans={trans}
        />
        <div className="msgbook-Setup-field">
          <label htmlFor="msgbook-setup-model">{trans.__('Model')}</label>
          <span className="msgbook-Setup-row">
            <input
              id="msgbook-setup-model"
              className="jp-mod-styled"
              list="msgbook-setup-models"
              spellCheck={false}
              value={fields.model}
              onChange={event => change({ model: event.target.value })}
            />
            <button
              className="jp-mod-styled"
              type="button"
              disabled={fields.baseUrl === ''}
              onClick={listModels}
            >
              {trans.__('List Models')}
            </button>
          </span>
        </div>
        <datalist id="msgbook-setup-models">
          {models.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {models.length > 0 && (
          <p className="msgbook-Setup-hint" role="status">
            {trans._n(
              'The server offers %1 model: type, or choose from the list.',
              'The server offers %1 models: type, or choose from the list.',
              models.length
            )}
          </p>
        )}
        <div className="msgbook-Setup-row">
          <button
            className="jp-mod-styled"
            type="button"
            disabled={fields.baseUrl === ''}
            onClick={test}
          >
            {trans.__('Test')}
          </button>
          <span className="msgbook-Setup-hint">
            {trans.__('Asks the model three short questions.')}
          </span>
        </div>
      </fieldset>
      <p role="status" className="msgbook-Setup-busy">
        {busy}
      </p>
      <Problem text={problem} />
      <Findings findings={findings} trans={trans} />
      <SavePart {...props} fields={fields} field={keyField} run={run} />
    </div>
  );
}
