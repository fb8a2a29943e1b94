import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useRef } from 'react';

import { visible } from '../turn/text';
import type { IFields } from './fields';
import type { ISetup } from './useSetup';

/** Lines of the list of models that are shown at once. */
const LINES = 8;

/** The model: its name, and the list of those that the server offers. */
export function ModelField({
  setup: { fields, models, change, listModels, closeModels },
  trans
}: {
  readonly setup: ISetup;
  readonly trans: TranslationBundle;
}): JSX.Element {
  return (
    <>
      <div className="msgbook-Setup-field">
        <label htmlFor="msgbook-setup-model">{trans.__('Model')}</label>
        <span className="msgbook-Setup-row">
          <input
            id="msgbook-setup-model"
            className="jp-mod-styled"
            spellCheck={false}
            value={fields.model}
            onChange={event => change({ model: event.target.value })}
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
export function AskServer(props: {
  readonly fields: IFields;
  readonly ask: () => void;
  readonly children: string;
}): JSX.Element {
  return (
    <button
      className="jp-mod-styled"
      type="button"
      disabled={props.fields.baseUrl === ''}
      onClick={props.ask}
    >
      {props.children}
    </button>
  );
}
