import type { TranslationBundle } from '@jupyterlab/translation';

/** What a person can do about a turn that has failed. */
export type Remedy = 'again' | 'model' | 'connect';

/** An error that ended a turn, as a person is told of it. */
export interface IFailure {
  /** One sentence; empty for an error whose own words say enough. */
  readonly words: string;
  /** What helps, the likeliest first. */
  readonly remedies: readonly Remedy[];
}

/** What helps, by kind of error. */
const REMEDIES = {
  unreachable: ['again', 'model', 'connect'],
  key: ['connect', 'model', 'again'],
  model: ['model', 'connect'],
  limit: ['again', 'model'],
  server: ['again', 'model'],
  cut: ['again', 'model'],
  answer: ['again', 'model', 'connect'],
  request: ['model', 'again'],
  settings: ['connect', 'again'],
  // A person has to change the message first, or a cell above.
  message: ['again'],
  unknown: ['again']
} satisfies Record<string, readonly Remedy[]>;

type Kind = keyof typeof REMEDIES;

/** The names of errors, as servers' libraries and the kernel spell them (`msgbook.errors`). */
const KINDS: Readonly<Record<string, Kind>> = {
  APIConnectionError: 'unreachable',
  APITimeoutError: 'unreachable',
  RedirectedError: 'unreachable',
  AuthenticationError: 'key',
  PermissionDeniedError: 'key',
  NotFoundError: 'model',
  RateLimitError: 'limit',
  InternalServerError: 'server',
  OverloadedError: 'server',
  APIStatusError: 'server',
  APIError: 'server',
  ConflictError: 'server',
  IncompleteAnswer: 'cut',
  NotACompletion: 'answer',
  OtherApi: 'answer',
  BadRequestError: 'request',
  UnprocessableEntityError: 'request',
  RequestTooLargeError: 'request',
  ContextWindowError: 'request',
  ConfigError: 'settings',
  NetworkProblem: 'settings',
  PluginError: 'settings',
  UnusableSettingError: 'settings',
  UnknownModelError: 'model',
  EmptyMessageError: 'message',
  NothingToContinueError: 'message',
  UnknownAgentError: 'message',
  UnreadableAgentError: 'message',
  UnreadableMsgLineError: 'message'
};

/** Names after which no answer is missing: the person has stopped the turn. */
const STOPPED = new Set(['KeyboardInterrupt']);

/** Return what to tell a person about an error, by its name. */
export function failureOf(name: string, trans: TranslationBundle): IFailure {
  if (STOPPED.has(name)) {
    return { words: '', remedies: [] };
  }
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : 'unknown';
  return { words: wordsOf(kind, trans), remedies: REMEDIES[kind] };
}

function wordsOf(kind: Kind, trans: TranslationBundle): string {
  return {
    unreachable: trans.__('The server of this model could not be reached.'),
    key: trans.__('The server of this model did not accept the key.'),
    model: trans.__('The server does not offer this model to you.'),
    limit: trans.__('The server takes no more messages for the moment.'),
    server: trans.__('The server of this model has failed.'),
    cut: trans.__('The answer broke off.'),
    answer: trans.__('What answered is not a server of models.'),
    request: trans.__('The model did not accept this conversation.'),
    settings: trans.__('A model has to be connected, or a setting changed.'),
    message: '',
    unknown: ''
  }[kind];
}
