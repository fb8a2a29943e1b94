import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import React from 'react';

import { EMPTY, presetOf, type ISetupState } from './fields';
import { KeyField } from './keyField';
import { AskServer, ModelField } from './modelField';
import { SavePart } from './savePart';
import type { SetupSteps } from './setupSteps';
import { Connected, Findings, Overriding, Problem } from './setupMessages';
import { useSetup, type ISetup } from './useSetup';

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

/** The URL of Ollama. */
const EXAMPLE = 'http://localhost:11434/v1';

interface IPartProps {
  readonly setup: ISetup;
  readonly trans: TranslationBundle;
}

/** The form that connects a model: server, key, model, a test, and the file. */
export function SetupForm(props: ISetupFormProps): JSX.Element {
  const { trans } = props;
  const setup = useSetup(props.steps, trans);
  const { state, fields, findings, busy, problem, keyField, run } = setup;
  if (state === null) {
    return <Starting setup={setup} trans={trans} />;
  }
  return (
    <div className="msgbook-Setup">
      <h1>{trans.__('Connect a Model')}</h1>
      <p>
        {trans.__(
          'Choose the server that answers your messages. Nothing is sent until you press a button.'
        )}
      </p>
      <Connected current={state.current} trans={trans} />
      <Overriding names={state.overriding} trans={trans} />
      <fieldset disabled={busy !== ''}>
        <ServerFields setup={setup} presets={state.presets} trans={trans} />
        <KeyField
          fields={fields}
          keyring={state.keyring}
          change={setup.change}
          field={keyField}
          trans={trans}
        />
        <ModelField setup={setup} trans={trans} />
        <TestRow setup={setup} trans={trans} />
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

function Starting({
  setup: { busy, problem, start },
  trans
}: IPartProps): JSX.Element {
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

function ServerFields({
  setup: { fields, choose, change },
  presets,
  trans
}: IPartProps & {
  readonly presets: ISetupState['presets'];
}): JSX.Element {
  return (
    <>
      <label>
        {trans.__('Provider')}
        <HTMLSelect
          value={presetOf(fields, presets)}
          onChange={event => choose(event.target.value)}
        >
          {presets.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
          <option value={EMPTY.name}>{trans.__('Another server')}</option>
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
    </>
  );
}

function TestRow({ setup: { fields, test }, trans }: IPartProps): JSX.Element {
  return (
    <div className="msgbook-Setup-row">
      <AskServer fields={fields} ask={test}>
        {trans.__('Test')}
      </AskServer>
      <span className="msgbook-Setup-hint">
        {trans.__('Asks the model three short questions.')}
      </span>
    </div>
  );
}
