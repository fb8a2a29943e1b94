import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import React, { useEffect, useRef } from 'react';
import {
  EMPTY,
  type IFields,
  type ISetupState,
  type KeyPlace,
  presetOf
} from './fields';
import {
  Button,
  Connected,
  Findings,
  Overriding,
  Problem,
  SavePart
} from './savePart';
import { textField } from '../render/dom';
import { type ISetup, type SetupSteps, useSetup } from './useSetup';
import { visible } from '../turn/text';

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
  const isBusy = busy !== '';
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
      <fieldset disabled={isBusy}>
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
      <SavePart
        {...props}
        fields={fields}
        field={keyField}
        isBusy={isBusy}
        run={run}
      />
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
        <Button isMain onClick={start}>
          {trans.__('Try Again')}
        </Button>
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
          placeholder={EXAMPLE}
          {...textField(fields.baseUrl, baseUrl => change({ baseUrl }))}
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

interface IKeyFieldProps {
  readonly fields: IFields;
  /** Name of the keyring; null if none works. */
  readonly keyring: string | null;
  readonly change: (changed: Partial<IFields>) => void;
  /** The field with the key, which nothing else keeps. */
  readonly field: React.RefObject<HTMLInputElement>;
  readonly trans: TranslationBundle;
}

/** A name that most people know. */
const KEY_EXAMPLE = 'OPENAI_API_KEY';

/** Where the key is, and the key itself unless it is in a variable. */
function KeyField(props: IKeyFieldProps): JSX.Element {
  const { fields, keyring, trans } = props;
  return (
    <fieldset className="msgbook-Setup-key">
      <legend>{trans.__('Key')}</legend>
      {keyChoices(keyring, trans).map(({ place, label, hint }) => (
        <React.Fragment key={place}>
          {(place !== 'keyring' || keyring !== null) && (
            <Choice {...props} place={place}>
              {label}
            </Choice>
          )}
          {fields.keyFrom === place && hint && (
            <TypedKey {...props}>{hint}</TypedKey>
          )}
        </React.Fragment>
      ))}
      {fields.keyFrom === 'variable' && <VariableField {...props} />}
      {keyring === null && (
        <p className="msgbook-Setup-hint">
          {trans.__(
            'For a keyring, install it where the kernel runs: pip install "msgbook[keyring]".'
          )}
        </p>
      )}
    </fieldset>
  );
}

interface IKeyChoice {
  readonly place: KeyPlace;
  readonly label: string;
  /** What is said below the field for the key; absent where the form takes none. */
  readonly hint?: string;
}

function keyChoices(
  keyring: string | null,
  trans: TranslationBundle
): readonly IKeyChoice[] {
  return [
    { place: 'none', label: trans.__('The server needs none') },
    {
      place: 'session',
      label: trans.__('Enter it for this session'),
      hint: trans.__(
        'JupyterLab keeps it in memory, in no file, until it is shut down. Leave this empty to use the key that you entered before.'
      )
    },
    {
      place: 'keyring',
      label: trans.__('Save it in the keyring (%1)', keyring ?? ''),
      hint: trans.__(
        'It is saved in the keyring alone. Leave this empty to use the key that is saved there.'
      )
    },
    {
      place: 'file',
      label: trans.__('Save it in a file that only you can read'),
      hint: trans.__(
        'The file is in the folder msgbook-keys of Jupyter’s configuration, unencrypted. Leave this empty to use the key that is saved there.'
      )
    },
    { place: 'variable', label: trans.__('It is in an environment variable') }
  ];
}

function Choice(
  props: IKeyFieldProps & {
    readonly place: KeyPlace;
    readonly children: string;
  }
): JSX.Element {
  const { fields, change, place, children } = props;
  return (
    <label className="msgbook-Setup-choice">
      <input
        type="radio"
        name="msgbook-setup-key"
        checked={fields.keyFrom === place}
        onChange={() => change({ keyFrom: place })}
      />
      {children}
    </label>
  );
}

function VariableField(props: IKeyFieldProps): JSX.Element {
  const { fields, change, trans } = props;
  return (
    <>
      <input
        className="jp-mod-styled"
        aria-label={trans.__('Name of the environment variable')}
        placeholder={KEY_EXAMPLE}
        {...textField(fields.keyVariable, keyVariable =>
          change({ keyVariable })
        )}
      />
      <p className="msgbook-Setup-hint">
        {trans.__(
          'The name of the variable, not the key. Set it before you start JupyterLab.'
        )}
      </p>
    </>
  );
}

/** A field for the key, which nothing else on the page keeps. */
function TypedKey({
  field,
  trans,
  children
}: IKeyFieldProps & { readonly children: string }): JSX.Element {
  return (
    <>
      <input
        ref={field}
        className="jp-mod-styled"
        type="password"
        autoComplete="off"
        spellCheck={false}
        aria-label={trans.__('Key')}
      />
      <p className="msgbook-Setup-hint">{children}</p>
    </>
  );
}

/** Lines of the list of models that are shown at once. */
const LINES = 8;

/** The model: its name, and the list of those that the server offers. */
function ModelField({
  setup: { fields, models, change, listModels, closeModels },
  trans
}: IPartProps): JSX.Element {
  return (
    <>
      <div className="msgbook-Setup-field">
        <label htmlFor="msgbook-setup-model">{trans.__('Model')}</label>
        <span className="msgbook-Setup-row">
          <input
            id="msgbook-setup-model"
            className="jp-mod-styled"
            {...textField(fields.model, model => change({ model }))}
          />
          <AskServer fields={fields} ask={listModels}>
            {trans.__('List Models')}
          </AskServer>
        </span>
      </div>
      {models.length > 0 && (
        <OfferedModels
          models={models}
          model={fields.model}
          choose={model => change({ model })}
          close={closeModels}
          trans={trans}
        />
      )}
    </>
  );
}

/** The models of the server, to choose from with keys or the mouse. */
function OfferedModels(props: {
  readonly models: readonly string[];
  readonly model: string;
  readonly choose: (model: string) => void;
  readonly close: () => void;
  readonly trans: TranslationBundle;
}): JSX.Element {
  const { models, model, choose, close, trans } = props;
  const list = useRef<HTMLSelectElement>(null);
  useEffect(() => list.current?.focus(), [models]);
  return (
    <select
      ref={list}
      className="msgbook-Setup-models"
      aria-label={trans.__('Models of the server')}
      size={Math.min(LINES, Math.max(2, models.length))}
      value={models.includes(model) ? model : ''}
      onChange={event => choose(event.target.value)}
      onClick={event => {
        // The first one may be marked already, without a change.
        if (event.target instanceof HTMLOptionElement) {
          choose(event.target.value);
          close();
        }
      }}
      onKeyDown={event => {
        if (event.key === 'Enter' || event.key === 'Escape') {
          event.preventDefault();
          if (event.key === 'Enter' && event.currentTarget.value !== '') {
            choose(event.currentTarget.value);
          }
          close();
        }
      }}
    >
      {models.map(name => (
        <option key={name} value={name}>
          {visible(name)}
        </option>
      ))}
    </select>
  );
}

/** A button that asks the server, once one is named. */
function AskServer(props: {
  readonly fields: IFields;
  readonly ask: () => void;
  readonly children: string;
}): JSX.Element {
  return (
    <Button disabled={props.fields.baseUrl === ''} onClick={props.ask}>
      {props.children}
    </Button>
  );
}
