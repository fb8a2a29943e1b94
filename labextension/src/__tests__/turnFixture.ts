import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer';
import { MimeModel } from '@jupyterlab/rendermime';
import { nullTranslator } from '@jupyterlab/translation';
import type { PartialJSONObject, ReadonlyJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import type { IApprovalQuestion } from '../comm/approvalMessages';
import { turnRendererFactory } from '../render/factory';
import { type Execution, NO_HOST } from '../render/host';
import type { TurnRenderer } from '../render/turnRenderer';
import { NO_DRAWERS } from '../rich/vegaChart';
import { safeMarkdown } from '../safe/markdown';
import { TURN_MIME } from '../turn/model';

export const trans = nullTranslator.load('msgbook');

/** A parser of one paragraph that remembers what it was given, and may be held up. */
class ScriptedParser {
  readonly sources: string[] = [];
  gate: Promise<void> = Promise.resolve();
  html: string | null = null;

  async render(source: string): Promise<string> {
    this.sources.push(source);
    await this.gate;
    return this.html ?? `<p>${source}</p>`;
  }
}

export interface IState {
  execution: Execution;
  current: ReadonlyJSONObject | null;
  questions: readonly IApprovalQuestion[];
  opened: string[];
}

export interface IFixture {
  renderer: TurnRenderer;
  parser: ScriptedParser;
  state: IState;
  show(turn: unknown, trusted?: boolean): Promise<void>;
  find<T extends Element = HTMLElement>(selector: string): T;
}

const fixtures: TurnRenderer[] = [];

export function fixture(): IFixture {
  const parser = new ScriptedParser();
  const state: IState = {
    execution: 'running',
    current: null,
    questions: [],
    opened: []
  };
  const host = {
    ...NO_HOST,
    execution: () => state.execution,
    currentTurn: () => state.current,
    questions: () => state.questions,
    conversation: (file: string) => ({
      url: `/lab/tree/${file}`,
      open: () => state.opened.push(file)
    })
  };
  const factory = turnRendererFactory(
    trans,
    host,
    NO_DRAWERS,
    () => undefined,
    options => safeMarkdown(options, text => parser.render(text))
  );
  const renderer = factory.createRenderer({
    mimeType: TURN_MIME,
    sanitizer: new Sanitizer(),
    resolver: null,
    linkHandler: null,
    latexTypesetter: null,
    markdownParser: null
  }) as TurnRenderer;
  fixtures.push(renderer);
  Widget.attach(renderer, document.body);
  return {
    renderer,
    parser,
    state,
    show: (turn, trusted = false) =>
      renderer.renderModel(
        new MimeModel({
          trusted,
          data: { [TURN_MIME]: turn } as PartialJSONObject
        })
      ),
    find: <T extends Element>(selector: string) =>
      renderer.node.querySelector<T>(selector)!
  };
}

export function turn(
  status: string,
  ...blocks: object[]
): Record<string, unknown> {
  return { version: 1, status, model: 'm', blocks };
}

afterEach(() => {
  fixtures.splice(0).forEach(renderer => renderer.dispose());
  jest.useRealTimers();
});
