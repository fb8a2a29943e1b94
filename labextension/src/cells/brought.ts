import { asObjects, asText, isObject } from '../turn/model';

/** Items of a message that are listed. */
export const MAX_ITEMS = 50;

/** Something that a message has brought. */
export interface IBrought {
  readonly kind: 'text' | 'call' | 'rule' | 'picture';
  readonly name: string;
  /** Names the text or the picture where the kernel keeps it. */
  readonly digest?: string;
  /** Whether a message above has brought the same text, so that it was not sent again. */
  readonly isUnchanged: boolean;
}

const DIGEST = /^[0-9a-f]{64}$/;
const REMOTE = /^https?:\/\//i;

/** Return what the message of a turn has brought, as its context records it: JSON of any file. */
export function broughtBy(turn: unknown): IBrought[] {
  const context = isObject(turn) && isObject(turn.context) ? turn.context : {};
  const items = (
    kind: IBrought['kind'],
    entries: unknown,
    key: string
  ): IBrought[] =>
    asObjects(entries).flatMap(entry => {
      const name = asText(entry[key]);
      const digest = asText(entry.sha256);
      return name === undefined
        ? []
        : [
            {
              kind,
              name,
              digest: DIGEST.test(digest ?? '') ? digest : undefined,
              isUnchanged: entry.unchanged === true
            }
          ];
    });
  const pictures = items('picture', context.images, 'key');
  return [
    ...items('text', context.files, 'key'),
    ...items('call', context.tools, 'name'),
    ...items('rule', context.rules, 'name'),
    // Of the others, nothing was sent: a notice of the turn says why.
    ...pictures.filter(
      ({ digest, name }) => digest !== undefined || REMOTE.test(name)
    )
  ];
}
