import type { NotebookPanel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import type { PageConnection } from '../live/pageConnection';
import { spell } from '../cells/cellFacts';
import { setNotebook } from '../cells/changes';
import {
  activateCell,
  insertCell,
  OURS,
  oursOf
} from '../live/documentChanges';
import { asText, asTexts, isObject } from '../turn/reading';
import type { IPageConnections } from '../tokens';
import { agentParams, firstChoice, parseAgents, type IAgents } from './agents';

/** Milliseconds. */
const PATIENCE = 60_000;

const NEW_AGENT = '%agent new ';
/** A name that a person replaces. */
const NAME = 'name';

const NOTHING: IAgents = { agents: [] };

/** The agent and the model that a notebook names for its cells. */
export class NotebookChoice {
  constructor(
    private readonly _panel: NotebookPanel,
    /** They may lack the panel's connection until it is added. */
    private readonly _connections: IPageConnections
  ) {
    const join = (connection: PageConnection | undefined) => {
      connection?.connected.connect(this._refresh, this);
      this._refresh();
    };
    if (this._connection === undefined) {
      const wait = (_: unknown, added: PageConnection) => {
        if (added.panel === this._panel) {
          this._connections.added.disconnect(wait, this);
          join(added);
        }
      };
      this._connections.added.connect(wait, this);
    } else {
      join(this._connection);
    }
    this._panel.context.model.metadataChanged.connect((_, change) => {
      if (change.key === OURS && isOther(change.oldValue, change.newValue)) {
        this._refresh();
      }
    }, this);
    this._panel.sessionContext.kernelChanged.connect(() => {
      this._asked++;
      this._show(NOTHING);
    }, this);
    this._panel.disposed.connect(() => Signal.clearData(this));
  }

  /** Emitted when what answers has changed, and when the kernel has. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** What the kernel said last. */
  get found(): IAgents {
    return this._found;
  }

  get isChat(): boolean {
    return this._connection?.isChat ?? false;
  }

  /** Return the agents of the notebook as they are now. */
  async agents(): Promise<IAgents> {
    const asked = ++this._asked;
    const params = agentParams(this._panel.context.model);
    const found = parseAgents(await this._ask('agents.list', params));
    if (asked === this._asked) {
      this._show(found);
    }
    return found;
  }

  /** Return the names of the models of the server that the notebook's agent asks. */
  async models(): Promise<string[]> {
    const provider = this._found.provider ?? null;
    const { models } = await this._ask('models.list', { provider });
    return asTexts(models);
  }

  /** The model that the notebook names itself. */
  get model(): string | undefined {
    return asText(this._ours.model);
  }

  /** Return the first line with which a cell chooses an agent, or a model, for the cells below it. */
  cellThatChooses(kind: 'agent' | 'model'): string | undefined {
    return firstChoice(
      this._panel.context.model,
      kind === 'agent' ? ['agent'] : ['agent', 'model']
    );
  }

  /** Make an agent the notebook's default; its own models answer, if it has any. */
  async chooseAgent(agent: string): Promise<void> {
    const { model } = this._panel.context;
    const chosen = this._found.agents.find(({ name }) => name === agent);
    const hasModels = (chosen?.models.length ?? 0) > 0;
    let before: string;
    let frontmatter: string | undefined;
    do {
      before = this._frontmatter;
      const params = { frontmatter: before, agent };
      const answer = await this._ask('agents.choose', params);
      frontmatter = asText(answer.frontmatter);
      // Another page may have changed it meanwhile.
    } while (!this._panel.isDisposed && before !== this._frontmatter);
    if (frontmatter !== undefined && !this._panel.isDisposed) {
      setNotebook(model, {
        frontmatter,
        ...(hasModels ? { model: null } : {})
      });
    }
  }

  /** Set the model of the notebook; null leaves it to the agent and the settings. */
  chooseModel(name: string | null): void {
    setNotebook(this._panel.context.model, { model: name });
  }

  /** Insert a cell above the active one that makes an agent, and let the person write its name. */
  async newAgent(): Promise<void> {
    const { content } = this._panel;
    const source = `${NEW_AGENT}${NAME}${await this._ownWords()}`;
    if (content.model === null || content.model.readOnly) {
      return;
    }
    const at = Math.max(0, content.activeCellIndex);
    insertCell(content.model, at, { cell_type: 'code', source });
    activateCell(content, at);
    await content.scrollToItem(at);
    const cell = content.widgets[at];
    await cell.ready;
    content.mode = 'edit';
    const { editor } = cell;
    editor?.setSelection({
      start: { line: 0, column: NEW_AGENT.length },
      end: { line: 0, column: NEW_AGENT.length + NAME.length }
    });
    editor?.focus();
  }

  /** Return the attributes of an agent that is answered by the same model, at the same server. */
  private async _ownWords(): Promise<string> {
    const { model, provider } = this._found;
    // Without `models`, the agent's name is its model.
    const models = model ?? this.model ?? (await this.models()).at(0);
    return Object.entries({ models, provider })
      .map(([key, value]) => value && ` ${key}=${spell(value)}`)
      .join('');
  }

  private _ask(name: string, params: JSONObject): Promise<JSONObject> {
    // A server may take long to list its models.
    return this._connection!.queries.ask(name, params, PATIENCE);
  }

  private get _ours(): Record<string, unknown> {
    return oursOf(this._panel.context.model) ?? {};
  }

  private get _frontmatter(): string {
    return asText(this._ours.frontmatter) ?? '';
  }

  private get _connection(): PageConnection | undefined {
    return this._connections.of(this._panel);
  }

  private _show(found: IAgents): void {
    this._found = found;
    this._changed.emit();
  }

  private _refresh(): void {
    if (!this.isChat || this._isAsking) {
      return;
    }
    this._isAsking = true;
    // The metadata of one change come one after the other.
    void Promise.resolve()
      .then(() => {
        this._isAsking = false;
        return this.agents();
      })
      .catch(() => {
        // Without a kernel there is nothing to show; a click says why.
        this._show(NOTHING);
      });
  }

  private readonly _changed = new Signal<this, void>(this);
  private _found = NOTHING;
  /** Whether a question is about to be asked. */
  private _isAsking = false;
  /** Number of the last question, by which answers that come too late are known. */
  private _asked = 0;
}

/** Return whether two values of the notebook's `msgbook` metadata may choose other agents or models. */
function isOther(before: unknown, after: unknown): boolean {
  const chosen = (value: unknown) => {
    const ours: Record<string, unknown> = isObject(value) ? value : {};
    return JSON.stringify([ours.frontmatter, ours.model]);
  };
  return chosen(before) !== chosen(after);
}
