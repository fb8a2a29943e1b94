import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useState } from 'react';

import type { IRule } from '../comm/ruleAnswers';
import { indentJson } from '../turn/text';
import type { RulesModel } from './rulesModel';

interface IFormProps {
  readonly model: RulesModel;
  /** The rule to change; null for a new one. */
  readonly rule: IRule | null;
  readonly trans: TranslationBundle;
  readonly close: () => void;
}

/** Form for one rule. The kernel decides whether it is valid. */
export function RuleForm({
  model,
  rule,
  trans,
  close
}: IFormProps): JSX.Element {
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
      <ToolField
        value={tool}
        change={setTool}
        tools={rules?.tools ?? []}
        trans={trans}
      />
      <ArgumentsField value={json} change={setJson} trans={trans} />
      <FolderField value={folder} change={setFolder} trans={trans} />
      <Buttons close={close} trans={trans} />
    </form>
  );
}

interface IFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly trans: TranslationBundle;
}

/** The name of the tool, with the known tools as suggestions. */
function ToolField({
  value,
  change,
  tools,
  trans
}: IFieldProps & { readonly tools: readonly string[] }): JSX.Element {
  return (
    <>
      <label>
        {trans.__('Tool')}
        <input
          autoFocus
          value={value}
          list="msgbook-rule-tools"
          spellCheck={false}
          onChange={event => change(event.target.value)}
        />
      </label>
      <datalist id="msgbook-rule-tools">
        {tools.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function ArgumentsField({ value, change, trans }: IFieldProps): JSX.Element {
  return (
    <label>
      {trans.__('Arguments as JSON, with * for harmless text; empty for any')}
      <textarea
        value={value}
        rows={4}
        spellCheck={false}
        onChange={event => change(event.target.value)}
      />
    </label>
  );
}

function FolderField({ value, change, trans }: IFieldProps): JSX.Element {
  return (
    <label>
      {trans.__('Folder of the notebook; empty for any')}
      <input
        value={value}
        spellCheck={false}
        onChange={event => change(event.target.value)}
      />
    </label>
  );
}

function Buttons({
  close,
  trans
}: Pick<IFormProps, 'close' | 'trans'>): JSX.Element {
  return (
    <div className="msgbook-Rule-buttons">
      <button type="submit" className="msgbook-Action">
        {trans.__('Save the rule')}
      </button>
      <button type="button" className="msgbook-Action" onClick={close}>
        {trans.__('Cancel')}
      </button>
    </div>
  );
}
