import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IFields, KeyPlace } from './fields';

export interface IKeyFieldProps {
  readonly fields: IFields;
  /** Name of the keyring; null if none works. */
  readonly keyring: string | null;
  readonly change: (changed: Partial<IFields>) => void;
  /** The field with the key, which nothing else keeps. */
  readonly field: React.RefObject<HTMLInputElement>;
  readonly trans: TranslationBundle;
}

/** A name that most people know. */
const EXAMPLE = 'OPENAI_API_KEY';

/** Where the key is, and the key itself unless it is in a variable. */
export function KeyField(props: IKeyFieldProps): JSX.Element {
  const { fields, keyring, trans } = props;
  return (
    <fieldset className="msgbook-Setup-key">
      <legend>{trans.__('Key')}</legend>
      <Choice {...props} place="none">
        {trans.__('The server needs none')}
      </Choice>
      <Choice {...props} place="session">
        {trans.__('Enter it for this session')}
      </Choice>
      {fields.keyFrom === 'session' && (
        <TypedKey {...props}>
          {trans.__(
            'JupyterLab keeps it in memory, in no file, until it is shut down. Leave this empty to use the key that you entered before.'
          )}
        </TypedKey>
      )}
      {keyring !== null && (
        <Choice {...props} place="keyring">
          {trans.__('Save it in the keyring (%1)', keyring)}
        </Choice>
      )}
      {fields.keyFrom === 'keyring' && (
        <TypedKey {...props}>
          {trans.__(
            'It is saved in the keyring alone. Leave this empty to use the key that is saved there.'
          )}
        </TypedKey>
      )}
      <Choice {...props} place="file">
        {trans.__('Save it in a file that only you can read')}
      </Choice>
      {fields.keyFrom === 'file' && (
        <TypedKey {...props}>
          {trans.__(
            'The file is in the folder msgbook-keys of Jupyter’s configuration, unencrypted. Leave this empty to use the key that is saved there.'
          )}
        </TypedKey>
      )}
      <Choice {...props} place="variable">
        {trans.__('It is in an environment variable')}
      </Choice>
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
        spellCheck={false}
        placeholder={EXAMPLE}
        value={fields.keyVariable}
        onChange={event => change({ keyVariable: event.target.value })}
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
