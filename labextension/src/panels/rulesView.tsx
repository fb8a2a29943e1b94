import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useRef, useState } from 'react';

import type { IRule } from '../comm/ruleAnswers';
import { visible } from '../turn/text';
import { formatCount } from '../turn/wording';
import { inPageLanguage } from '../render/kernelWords';
import { RuleForm } from './ruleForm';
import type { RulesModel } from './rulesModel';
import { useKeptFocus } from './useKeptFocus';

interface IRulesProps {
  readonly model: RulesModel;
  readonly trans: TranslationBundle;
}

/** What is shown of the rules, and which form is open. */
interface IEditedProps extends IRulesProps {
  /** Key of the rule whose form is open, '' for that of a new rule; null for none. */
  readonly edited: string | null;
  readonly setEdited: (key: string | null) => void;
}

/** The approval rules of the user, which can be added, changed and deleted. */
export function RulesView({ model, trans }: IRulesProps): JSX.Element {
  const [edited, setEdited] = useState<string | null>(null);
  const { rules, problem } = model;
  const add = useRef<HTMLButtonElement>(null);
  const focusHandlers = useKeptFocus(add);
  const editing = { model, trans, edited, setEdited };
  return (
    <section aria-label={trans.__('Rules')} {...focusHandlers}>
      <h3>{trans.__('Rules')}</h3>
      {problem !== '' && (
        <p className="msgbook-Rules-problem" role="alert">
          {problem}
        </p>
      )}
      {rules === null ? (
        <p className="msgbook-Questions-none">
          {trans.__('Open a chat to see its approval rules.')}
        </p>
      ) : (
        <>
          <p className="msgbook-Questions-none">
            {inPageLanguage(rules.policy, trans)}
          </p>
          <RuleList {...editing} rules={rules.rules} />
          <NewRule {...editing} add={add} />
        </>
      )}
    </section>
  );
}

/** The rules, one of them perhaps as a form. */
function RuleList({
  model,
  trans,
  edited,
  setEdited,
  rules
}: IEditedProps & { readonly rules: readonly IRule[] }): JSX.Element {
  return (
    <ul className="msgbook-Rules-list">
      {rules.map(rule => (
        <li key={rule.key} className="msgbook-Rule">
          {edited === rule.key ? (
            <RuleForm
              model={model}
              rule={rule}
              trans={trans}
              close={() => setEdited(null)}
            />
          ) : (
            <RuleRow
              rule={rule}
              model={model}
              trans={trans}
              edit={() => setEdited(rule.key)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The form for a new rule, or the button that opens it. */
function NewRule({
  model,
  trans,
  edited,
  setEdited,
  add
}: IEditedProps & {
  readonly add: React.RefObject<HTMLButtonElement>;
}): JSX.Element {
  return edited === '' ? (
    <RuleForm
      model={model}
      rule={null}
      trans={trans}
      close={() => setEdited(null)}
    />
  ) : (
    <button
      ref={add}
      type="button"
      className="msgbook-Action"
      onClick={() => setEdited('')}
    >
      {trans.__('Add a rule')}
    </button>
  );
}

interface IRowProps extends IRulesProps {
  readonly rule: IRule;
  readonly edit: () => void;
}

function RuleRow({ rule, model, trans, edit }: IRowProps): JSX.Element {
  const tool = visible(rule.tool);
  const canEdit = rule.kind === 'answer' || rule.kind === 'own';
  return (
    <>
      <div className="msgbook-Rule-call">
        <strong>{tool}</strong>{' '}
        {rule.arguments !== null && <code>{visible(rule.arguments)}</code>}
      </div>
      <div className="msgbook-Rule-facts">
        {facts(rule, trans).map(words => (
          <span key={words}>{words}</span>
        ))}
      </div>
      <div className="msgbook-Rule-buttons">
        {canEdit && (
          <button
            type="button"
            className="msgbook-Action"
            aria-label={trans.__('Change the rule for %1', tool)}
            onClick={edit}
          >
            {trans.__('Change')}
          </button>
        )}
        {rule.kind !== 'settings' && (
          <button
            type="button"
            className="msgbook-Action"
            aria-label={trans.__('Delete the rule for %1', tool)}
            onClick={() => void model.remove(rule.key)}
          >
            {trans.__('Delete')}
          </button>
        )}
      </div>
    </>
  );
}

/** Return what a rule covers beside its arguments, and what it has allowed. */
function facts(rule: IRule, trans: TranslationBundle): string[] {
  const { kind, count, last } = rule;
  return [
    origin(kind, trans),
    ...(rule.arguments === null ? [trans.__('any arguments')] : []),
    ...(rule.path === '' ? [] : [trans.__('at %1', visible(rule.path))]),
    ...(kind === 'session'
      ? []
      : [
          rule.folder === ''
            ? trans.__('in any folder')
            : trans.__('in %1', visible(rule.folder))
        ]),
    count === 0
      ? trans.__('has allowed nothing yet')
      : trans._n(
          'has allowed %1 call',
          'has allowed %1 calls',
          count,
          formatCount(count)
        ),
    ...(last === null ? [] : [trans.__('last on %1', last.toLocaleString())])
  ];
}

function origin(kind: IRule['kind'], trans: TranslationBundle): string {
  switch (kind) {
    case 'session':
      return trans.__('until the kernel restarts');
    case 'answer':
      return trans.__('from your answer');
    case 'own':
      return trans.__('written here');
    case 'settings':
      return trans.__('from the settings file');
  }
}
