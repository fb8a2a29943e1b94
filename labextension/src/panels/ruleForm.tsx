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
      <label>
        {trans.__('Tool')}
        <input
          autoFocus
          value={tool}
          list="msgbook-rule-tools"
          spellCheck={false}
          onChange={event => setTool(event.target.value)}
        />
      </label>
      <datalist id="msgbook-rule-tools">
        {rules?.tools.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label>
        {trans.__('Arguments as JSON, with * for harmless text; empty for any')}
        <textarea
          value={json}
          rows={4}
          spellCheck={false}
          onChange={event => setJson(event.target.value)}
        />
      </label>
      <label>
        {trans.__('Folder of the notebook; empty for any')}
        <input
          value={folder}
          spellCheck={false}
          onChange={event => setFolder(event.target.value)}
        />
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
