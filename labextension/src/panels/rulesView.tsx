import type { TranslationBundle } from '@jupyterlab/translation';
import React, {
  type FocusEventHandler,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState
} from 'react';
import type { IRule } from '../comm/approvalMessages';
import { indentJson, visible } from '../turn/text';
import { formatCount } from '../turn/wording';
import { textField } from '../render/dom';
import { inPageLanguage } from '../turn/kernelWords';
import type { RulesModel } from './rulesModel';

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
function RuleList(
  props: IEditedProps & { readonly rules: readonly IRule[] }
): JSX.Element {
  const { edited, setEdited } = props;
  return (
    <ul className="msgbook-Rules-list">
      {props.rules.map(rule => (
        <li key={rule.key} className="msgbook-Rule">
          {edited === rule.key ? (
            <RuleForm {...props} rule={rule} close={() => setEdited(null)} />
          ) : (
            <RuleRow {...props} rule={rule} edit={() => setEdited(rule.key)} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The form for a new rule, or the button that opens it. */
function NewRule(
  props: IEditedProps & { readonly add: RefObject<HTMLButtonElement> }
): JSX.Element {
  const { trans, edited, setEdited, add } = props;
  return edited === '' ? (
    <RuleForm {...props} rule={null} close={() => setEdited(null)} />
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
    ...(last === undefined
      ? []
      : [trans.__('last on %1', new Date(last).toLocaleString())])
  ];
}

function origin(kind: IRule['kind'], trans: TranslationBundle): string {
  return {
    session: trans.__('until the kernel restarts'),
    answer: trans.__('from your answer'),
    own: trans.__('written here'),
    settings: trans.__('from the settings file')
  }[kind];
}

interface IFormProps extends IRulesProps {
  /** The rule to change; null for a new one. */
  readonly rule: IRule | null;
  readonly close: () => void;
}

/** Form for one rule. The kernel decides whether it is valid. */
function RuleForm({ model, rule, trans, close }: IFormProps): JSX.Element {
  const { rules } = model;
  const [tool, setTool] = useState(rule?.tool ?? '');
  const [json, setJson] = useState(indentJson(rule?.arguments ?? ''));
  const [folder, setFolder] = useState(rule?.folder ?? rules?.folder ?? '');
  const save = () => {
    void model
      .save({ tool, arguments: json, folder }, rule?.key ?? null)
      .then(isDone => isDone && close());
  };
  return (
    <form
      className="msgbook-RuleForm"
      data-lm-suppress-shortcuts="true"
      onSubmit={event => {
        event.preventDefault();
        save();
      }}
    >
      <label>
        {trans.__('Tool')}
        <input
          autoFocus
          list="msgbook-rule-tools"
          {...textField(tool, setTool)}
        />
      </label>
      <datalist id="msgbook-rule-tools">
        {rules?.tools.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label>
        {trans.__('Arguments as JSON, with * for harmless text; empty for any')}
        <textarea rows={4} {...textField(json, setJson)} />
      </label>
      <label>
        {trans.__('Folder of the notebook; empty for any')}
        <input {...textField(folder, setFolder)} />
      </label>
      <div className="msgbook-Rule-buttons">
        <button type="submit" className="msgbook-Action">
          {trans.__('Save the rule')}
        </button>
        <button type="button" className="msgbook-Action" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </form>
  );
}

/**
 * Keep the focus in a part of a panel: when the element that has it is removed, another gets it.
 *
 * @returns Handlers of the part.
 */
export function useKeptFocus(other: RefObject<HTMLElement>): {
  readonly onFocus: FocusEventHandler;
  readonly onBlur: FocusEventHandler;
} {
  const focused = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (focused.current?.isConnected === false) {
      focused.current = null;
      if (document.activeElement === document.body) {
        other.current?.focus({ preventScroll: true });
      }
    }
  });
  return {
    onFocus: event => {
      focused.current = event.target;
    },
    // React tells of no element that it removes itself.
    onBlur: () => {
      focused.current = null;
    }
  };
}
