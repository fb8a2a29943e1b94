import { isObject } from '../turn/reading';

/** A message of the kernel's comm (docs/protocol.md); its other values may be of any type. */
export interface IMessage {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What handles the messages of each type. */
export type Handlers<T = void> = ReadonlyMap<string, (message: IMessage) => T>;

/** Handle a message by its type; undefined for one that is not for these handlers, or is none. */
export function handle<T>(handlers: Handlers<T>, data: unknown): T | undefined {
  const handler =
    isObject(data) && typeof data.type === 'string'
      ? handlers.get(data.type)
      : undefined;
  return handler?.(data as IMessage);
}
