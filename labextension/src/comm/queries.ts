import type { JSONObject } from '@lumino/coreutils';
import { UUID } from '@lumino/coreutils';

import { asText, isObject } from '../turn/reading';
import type { Handlers, IMessage } from './handlers';

/** Milliseconds to wait for an answer. Python that runs in a cell keeps the kernel from answering. */
const PATIENCE = 10_000;

/** A query without an answer; the message is for the reader. */
export class QueryError extends Error {}

/** What queries say to the reader themselves. */
export interface IQueryWords {
  readonly noKernel: string;
  readonly noAnswer: string;
}

interface IWaiting {
  readonly resolve: (result: JSONObject) => void;
  readonly reject: (error: QueryError) => void;
  readonly timer: number;
}

/** Sends a message to the kernel; returns false if it cannot be reached. */
export type Send = (data: JSONObject) => boolean;

/** Questions of toolbars and panels to the kernel (docs/protocol.md, `query`). */
export class Queries {
  constructor(
    private readonly _send: Send,
    private readonly _words: IQueryWords
  ) {}

  /**
   * Ask the kernel; reject with a `QueryError` if it cannot answer or does not answer in time.
   *
   * @param patience - Milliseconds to wait.
   * @param send - Sends this query; by default as all others.
   */
  ask(
    name: string,
    params: JSONObject = {},
    patience = PATIENCE,
    send = this._send
  ): Promise<JSONObject> {
    const requestId = UUID.uuid4();
    return new Promise((resolve, reject) => {
      const message = { type: 'query', request_id: requestId, name, params };
      if (!send(message)) {
        reject(new QueryError(this._words.noKernel));
        return;
      }
      const giveUp = () =>
        this._reject(requestId, new QueryError(this._words.noAnswer));
      const timer = window.setTimeout(giveUp, patience);
      this._waiting.set(requestId, { resolve, reject, timer });
    });
  }

  /** Handlers of the kernel's messages. */
  readonly handlers: Handlers = new Map([
    ['query.answer', message => this._onAnswer(message)]
  ]);

  private _onAnswer(data: IMessage): void {
    const requestId = asText(data.request_id) ?? '';
    if (isObject(data.result)) {
      this._take(requestId)?.resolve(data.result as JSONObject);
    } else {
      const words = asText(data.error) ?? this._words.noAnswer;
      this._reject(requestId, new QueryError(words));
    }
  }

  /** Reject all queries: the kernel that was asked is gone. */
  clear(): void {
    for (const requestId of [...this._waiting.keys()]) {
      this._reject(requestId, new QueryError(this._words.noKernel));
    }
  }

  private _reject(requestId: string, error: QueryError): void {
    this._take(requestId)?.reject(error);
  }

  private _take(requestId: string): IWaiting | undefined {
    const waiting = this._waiting.get(requestId);
    this._waiting.delete(requestId);
    window.clearTimeout(waiting?.timer);
    return waiting;
  }

  private readonly _waiting = new Map<string, IWaiting>();
}
