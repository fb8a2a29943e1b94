import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { controlsVisible, visible } from '../turn/text';
import type { IFields, IFinding } from './fields';

/** An error of the last question; nothing without one. */
export function Problem({ text }: { text: string }): JSX.Element | null {
  return text === '' ? null : (
    <p role="alert" className="msgbook-Setup-problem">
      {controlsVisible(text)}
    </p>
  );
}

/** What answers messages now. */
export function Connected(props: {
  readonly current: IFields | null;
  readonly trans: TranslationBundle;
}): JSX.Element | null {
  const { current, trans } = props;
  if (current === null) {
    return null;
  }
  const { model, baseUrl } = current;
  return (
    <p role="note" className="msgbook-Setup-connected">
      {model === ''
        ? trans.__('Connected now: %1', visible(baseUrl))
        : trans.__('Connected now: %1 at %2', visible(model), visible(baseUrl))}
    </p>
  );
}

/** A warning about the environment, which goes before the file. */
export function Overriding(props: {
  readonly names: readonly string[];
  readonly trans: TranslationBundle;
}): JSX.Element | null {
  const { names, trans } = props;
  if (names.length === 0) {
    return null;
  }
  const isDemo = names.length === 1 && names[0] === 'MSGBOOK_MODEL';
  return (
    <p className="msgbook-Setup-warning" role="note">
      {trans.__(
        'Set in the environment of JupyterLab: %1. This goes before what you save here.',
        names.map(visible).join(', ')
      )}{' '}
      {isDemo
        ? trans.__(
            'Start JupyterLab without it to use your model; `msgbook demo` always sets it.'
          )
        : trans.__('Unset it before you start JupyterLab.')}
    </p>
  );
}

/** The findings of a test, one a line. */
export function Findings(props: {
  readonly findings: readonly IFinding[] | null;
  readonly trans: TranslationBundle;
}): JSX.Element | null {
  const { findings, trans } = props;
  if (findings === null) {
    return null;
  }
  const labels = new Map([
    ['pass', trans.__('Pass')],
    ['fail', trans.__('Fail')],
    ['note', trans.__('Note')]
  ]);
  return (
    <ul
      className="msgbook-Setup-findings"
      aria-label={trans.__('Results of the test')}
    >
      {findings.map(({ check, status, words, advice }, index) => (
        <li key={index} data-status={status}>
          <strong>{labels.get(status) ?? trans.__('Unknown')}</strong>{' '}
          <span className="msgbook-Setup-check">{visible(check)}</span>{' '}
          {controlsVisible(words)}
          {advice !== '' && status !== 'pass' && (
            <div className="msgbook-Setup-hint">{controlsVisible(advice)}</div>
          )}
        </li>
      ))}
    </ul>
  );
}
