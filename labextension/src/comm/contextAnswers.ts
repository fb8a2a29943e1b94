/** Answers to the queries `context.*` (docs/protocol.md, `The request of a cell`). */

import type { History } from './historyMessages';

/** One message of a request. Tokens are estimated. */
export interface IRequestMessage {
  readonly index: number;
  readonly role: string;
  readonly tokens: number;
  /** Share of it that the server may have kept, 0 to 1. */
  readonly kept: number;
}

/** A cell of a request, or one that is left out of it. */
export interface IRequestCell {
  /** Null for a prompt that is not written yet. */
  readonly id: string | null;
  /** Its place in the notebook, from 1. */
  readonly number: number;
  readonly title: string;
  readonly kind: string;
  readonly history: History;
  /** Whether its `%%msg` line sets `history`. */
  readonly by_line: boolean;
  readonly is_stale: boolean;
  readonly messages: readonly IRequestMessage[];
}

/** What a cell would send now. */
export interface IShownRequest {
  readonly agent: string;
  readonly model: string | null;
  readonly provider: string;
  readonly hash: string;
  readonly tokens: number;
  readonly window: number | null;
  /** Tokens that are kept free for the answer. */
  readonly reserved: number;
  readonly tools: {
    readonly count: number;
    readonly tokens: number;
    readonly kept: number;
  };
  readonly system: readonly IRequestMessage[];
  /** In document order; the last one is the prompt. */
  readonly cells: readonly IRequestCell[];
  readonly cache: {
    readonly share: number | null;
    readonly changes: readonly string[];
  };
  readonly switches: readonly ISwitches[];
  readonly notices: readonly string[];
}

/** A rule, a skill, a macro, an MCP server or a tool. */
export interface ISwitch {
  readonly name: string;
  /** The name as it is shown. */
  readonly shown: string;
  /** Where it comes from. */
  readonly origin: string;
  readonly note: string;
  /** Whether the model gets it. */
  readonly is_on: boolean;
  /** Whether something else than the notebook decides about it. */
  readonly is_fixed: boolean;
  readonly tokens: number | null;
}

export type SwitchKind =
  'rules' | 'skills' | 'macros' | 'mcp_servers' | 'tools';

/** Things of one kind that a conversation can bring beside its cells. */
export interface ISwitches {
  readonly kind: SwitchKind;
  /** What decides in place of the notebook; empty if the notebook does. */
  readonly by: string;
  readonly items: readonly ISwitch[];
}
