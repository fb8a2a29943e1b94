import { showErrorMessage } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon, ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';
import { errorText, visible } from '../turn/text';
import { agentChoices, typedChoice } from './agents';
import type { NotebookChoice } from './notebookChoice';
import { openChoiceList } from './popup';

/** A button of the notebook's toolbar that shows a choice and opens a list. It is hidden where no chat is. */
abstract class ToolbarPicker extends ReactWidget {
  constructor(
    protected readonly choice: NotebookChoice,
    protected readonly trans: TranslationBundle
  ) {
    super();
    this.addClass('msgbook-Picker');
    this.setHidden(!choice.isChat);
    choice.changed.connect(this._onChanged, this);
  }

  protected abstract readonly label: string;
  protected abstract readonly shown: string;
  protected abstract readonly caption: string;
  protected abstract open(button: Element): void;

  protected override render(): JSX.Element {
    return (
      <button
        className="jp-ToolbarButtonComponent msgbook-Picker-button"
        title={this.caption}
        aria-label={this.caption}
        aria-haspopup="dialog"
        onClick={event => this.open(event.currentTarget)}
      >
        <span className="msgbook-Picker-label">{this.label}</span>
        <span className="msgbook-Picker-value">{this.shown}</span>
        <caretDownEmptyIcon.react tag="span" aria-hidden="true" />
      </button>
    );
  }

  private _onChanged(): void {
    this.setHidden(!this.choice.isChat);
    this.update();
  }
}

/** Shows and chooses the agent that answers where no cell chooses another. */
export class AgentPicker extends ToolbarPicker {
  protected get label(): string {
    return this.trans.__('Agent');
  }

  protected get shown(): string {
    const { agent, problem } = this.choice.found;
    return agent !== undefined
      ? visible(agent)
      : problem !== undefined
        ? this.trans.__('none')
        : '…';
  }

  protected get caption(): string {
    const { problem } = this.choice.found;
    return problem !== undefined
      ? visible(problem)
      : this.trans.__('Agent of this notebook: %1', this.shown);
  }

  protected open(button: Element): void {
    const { choice, trans } = this;
    openChoiceList(button, {
      label: trans.__('Agent of this notebook'),
      placeholder: trans.__('Search agents'),
      load: async () => {
        const found = await choice.agents();
        const notes = [
          found.problem ?? '',
          noteOf(choice.cellThatChooses('agent'), trans)
        ];
        const fresh = {
          value: null,
          label: trans.__('New agent…'),
          detail: trans.__('a line %agent new above this cell'),
          isCurrent: false
        };
        return {
          choices: [...agentChoices(found, found.agent, trans), fresh],
          notes: notes.filter(note => note !== '').map(visible)
        };
      },
      onChoose: agent => {
        const done =
          agent === null ? choice.newAgent() : choice.chooseAgent(agent);
        done.catch((reason: unknown) => {
          void showErrorMessage(
            trans.__('The agent was not chosen'),
            errorText(reason)
          );
        });
      },
      trans
    });
  }
}

/** Shows and chooses the model that answers where neither a cell nor its agent chooses another. */
export class ModelPicker extends ToolbarPicker {
  protected get label(): string {
    return this.trans.__('Model');
  }

  protected get shown(): string {
    const model = this.choice.found.model ?? this.choice.model;
    return model === undefined ? this.trans.__('default') : visible(model);
  }

  protected get caption(): string {
    return this.trans.__('Model of this notebook: %1', this.shown);
  }

  protected open(button: Element): void {
    const { choice, trans } = this;
    openChoiceList(button, {
      label: trans.__('Model of this notebook'),
      placeholder: trans.__('Search models, or type a name'),
      load: async () => {
        const chosen = choice.model;
        const automatic = {
          value: null,
          label: trans.__('Default'),
          detail: trans.__('of the agent, or of your settings'),
          isCurrent: chosen === undefined
        };
        const note = noteOf(choice.cellThatChooses('model'), trans);
        const named = (name: string) => ({
          value: name,
          label: visible(name),
          isCurrent: name === chosen
        });
        try {
          const models = await choice.models();
          const others = chosen === undefined ? [] : [chosen];
          const names = new Set([...models, ...others]);
          return {
            choices: [automatic, ...Array.from(names, named)],
            notes: note === '' ? [] : [note]
          };
        } catch (reason) {
          return {
            choices: [automatic],
            notes: [visible(errorText(reason))]
          };
        }
      },
      other: name => typedChoice(name, trans),
      onChoose: name => choice.chooseModel(name),
      trans
    });
  }
}

function noteOf(line: string | undefined, trans: TranslationBundle): string {
  return line === undefined
    ? ''
    : trans.__('Below a cell %1, that cell decides.', visible(line));
}
