import type { JSONObject } from '@lumino/coreutils';

import { asText, isObject } from '../turn/model';

/** The kernel's request to save AgentMetadata in the notebook (docs/protocol.md). */
export interface IAgentKeep {
  /** The cell that runs: only its notebook is meant. */
  readonly cellId: string;
  readonly agentMetadata: JSONObject;
  /** Client session of the page that writes a shared document; null where any page does. */
  readonly writer: string | null;
}

/** Return the request in a comm message; null if there is none or it is not well formed. */
export function parseAgentKeep(data: unknown): IAgentKeep | null {
  if (!isObject(data) || data.type !== 'agent.keep') {
    return null;
  }
  const { cell_id: cellId, agent_metadata: agentMetadata } = data;
  return typeof cellId === 'string' && isObject(agentMetadata)
    ? {
        cellId,
        agentMetadata: agentMetadata as JSONObject,
        writer: asText(data.writer) ?? null
      }
    : null;
}
