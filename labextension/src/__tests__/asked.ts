import type { JSONObject } from '@lumino/coreutils';
import { handle } from '../comm/handlers';
import { Approvals, type IMissedAnswer } from '../live/approvals';

/** A question of the kernel. */
export const ASK = {
  type: 'approval.ask',
  request_id: 'r1',
  cell_id: 'a',
  display_id: 'd',
  call_id: 'call_1',
  name: 'write',
  arguments: '{"path": "a.txt", "content": "x"}',
  reason: 'it changes a file',
  preview: '--- a.txt\n+++ a.txt\n@@ -0,0 +1 @@\n+x\n',
  choices: ['once', 'session', 'rule', 'no']
};

/** The questions of a notebook, what is seen of them, and what the kernel says. */
interface IFixture {
  readonly approvals: Approvals;
  readonly sent: readonly JSONObject[];
  readonly refreshed: readonly string[];
  readonly told: readonly IMissedAnswer[];
  /** Ask a question that differs from `ASK` in this. */
  ask(other?: Partial<typeof ASK>): void;
  say(what: 'closed' | 'late', requestId: string): void;
}

export function openQuestions(reachable = true): IFixture {
  const sent: JSONObject[] = [];
  const refreshed: string[] = [];
  const told: IMissedAnswer[] = [];
  const page = {
    has: (cellId: string) => cellId !== 'elsewhere',
    refresh: (cellId: string) => void refreshed.push(cellId)
  };
  const approvals = new Approvals(
    page,
    data => reachable && sent.push(data) > 0
  );
  approvals.unheard.connect((_, one) => void told.push(one));
  const receive = (message: object) => void handle(approvals.handlers, message);
  return {
    approvals,
    sent,
    refreshed,
    told,
    ask: other => receive({ ...ASK, ...other }),
    say: (what, request_id) => receive({ type: `approval.${what}`, request_id })
  };
}
