import type { JSONObject } from '@lumino/coreutils';
import { asAmount, asObjects, asText, isObject } from '../turn/reading';
import type { CodeCell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { forEachCodeCell, placeAtInput } from '../live/codeCells';
import { turnOf } from '../live/notebookCells';
import type { PageConnection } from '../live/pageConnection';
import { element } from '../render/dom';
import { visible } from '../turn/text';

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

type Ask = (name: string, params: JSONObject) => Promise<JSONObject>;

/** Digests of one question, as many as the kernel takes. */
const AT_ONCE = 200;

/**
 * What the kernel knows about the texts and pictures that messages have brought.
 *
 * A digest names the same text for ever, so each is asked about once.
 */
export class BroughtFacts {
  constructor(
    /** Asks the kernel, as soon as it can be asked. */
    private readonly _ask: Ask
  ) {}

  /** Return the estimated tokens of a text; null if the kernel does not keep it. */
  tokens(digest: string): Promise<number | null> {
    let count = this._tokens.get(digest);
    if (count === undefined) {
      count = this._sizeOf(digest);
      this._tokens.set(digest, count);
    }
    return count;
  }

  /** Return a picture as a `data:` URL of any kind; null if the kernel does not keep it. */
  picture(digest: string): Promise<string | null> {
    let url = this._pictures.get(digest);
    if (url === undefined) {
      url = this._ask('context.picture', { digest })
        .then(answer => asText(answer.url) ?? null)
        .catch(() => this._forget(this._pictures, digest));
      this._pictures.set(digest, url);
    }
    return url;
  }

  /** Ask about a text together with those that are asked about at the same time. */
  private async _sizeOf(digest: string): Promise<number | null> {
    this._wanted.push(digest);
    this._answer ??= Promise.resolve().then(() => this._askAll());
    try {
      return (await this._answer).get(digest) ?? null;
    } catch {
      return this._forget(this._tokens, digest);
    }
  }

  private async _askAll(): Promise<Map<string, number>> {
    const wanted = this._wanted;
    this._wanted = [];
    this._answer = null;
    const found = new Map<string, number>();
    for (let start = 0; start < wanted.length; start += AT_ONCE) {
      const digests = wanted.slice(start, start + AT_ONCE);
      const { tokens } = await this._ask('context.sizes', { digests });
      for (const [digest, count] of isObject(tokens)
        ? Object.entries(tokens)
        : []) {
        const amount = asAmount(count);
        if (amount !== undefined) {
          found.set(digest, amount);
        }
      }
    }
    return found;
  }

  /** Ask again when the row is drawn again: the kernel could not be reached. */
  private _forget(known: Map<string, unknown>, digest: string): null {
    known.delete(digest);
    return null;
  }

  private readonly _tokens = new Map<string, Promise<number | null>>();
  private readonly _pictures = new Map<string, Promise<string | null>>();
  private _wanted: string[] = [];
  private _answer: Promise<Map<string, number>> | null = null;
}

/** Characters of a name in a chip. */
const SHOWN = 60;

/** Characters of the address of a picture: some megabytes, as many as one message may have. */
const MAX_ADDRESS = 8_000_000;

const PICTURE =
  /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Show below each message of a notebook what it has brought, as long as the notebook is open. */
export function showBrought(
  { panel, queries, connected }: PageConnection,
  trans: TranslationBundle
): void {
  const facts = new BroughtFacts(
    (name, params) =>
      new Promise(resolve => {
        // A question is lost that is asked while the kernel starts.
        const ask = () => {
          queries.ask(name, params).then(
            answer => {
              connected.disconnect(ask);
              resolve(answer);
            },
            () => undefined
          );
        };
        connected.connect(ask);
        ask();
      })
  );
  forEachCodeCell(
    panel.content,
    cell =>
      // A cell that has never been on the screen is drawn when it is.
      void cell.ready.then(() => {
        if (!cell.isDisposed) {
          new BroughtRow(cell, facts, trans);
        }
      })
  );
}

class BroughtRow {
  constructor(
    private readonly _cell: CodeCell,
    private readonly _facts: BroughtFacts,
    private readonly _trans: TranslationBundle
  ) {
    this._cell.disposed.connect(() => Signal.clearData(this));
    this._cell.model.outputs.changed.connect(this._update, this);
    this._update();
  }

  private _update(): void {
    const items = broughtBy(turnOf(this._cell.model));
    // A turn changes with each word that comes.
    const seen = JSON.stringify(items);
    if (seen === this._seen) {
      return;
    }
    this._seen = seen;
    this._row?.dispose();
    this._row = null;
    if (items.length > 0) {
      const node = broughtRow(items, this._facts, this._trans);
      this._row = new Widget({ node });
      placeAtInput(this._cell, this._row);
    }
  }

  private _row: Widget | null = null;
  private _seen = '[]';
}

/**
 * Return a row of what a message has brought: a chip each, and a small picture for each picture.
 *
 * It holds text, and pictures that the kernel has read and made small. Nothing in it is loaded from
 * anywhere. What the kernel does not keep any more is named all the same.
 */
export function broughtRow(
  items: readonly IBrought[],
  facts: Pick<BroughtFacts, 'tokens' | 'picture'>,
  trans: TranslationBundle
): HTMLElement {
  const row = element('ul', 'msgbook-Brought');
  row.setAttribute('aria-label', trans.__('Sent with this message'));
  for (const item of items.slice(0, MAX_ITEMS)) {
    row.append(chip(item, facts, trans));
  }
  const more = items.length - MAX_ITEMS;
  if (more > 0) {
    const words = trans.__('%1 more', more);
    row.append(element('li', 'msgbook-Brought-chip', words));
  }
  return row;
}

function chip(
  item: IBrought,
  facts: Pick<BroughtFacts, 'tokens' | 'picture'>,
  trans: TranslationBundle
): HTMLElement {
  const name = element('span', 'msgbook-Brought-name', shownName(item));
  const node = element('li', 'msgbook-Brought-chip', name);
  node.dataset.kind = item.kind;
  node.title = visible(item.name.slice(0, 1000));
  const note = noteOf(item, trans);
  if (note !== '') {
    node.append(element('span', 'msgbook-Brought-note', ` · ${note}`));
  } else if (item.digest !== undefined && item.kind === 'picture') {
    void facts.picture(item.digest).then(url => showPicture(node, item, url));
  } else if (item.digest !== undefined) {
    void facts.tokens(item.digest).then(count => {
      if (count !== null) {
        const words = trans._n('%1 token', '%1 tokens', count);
        node.append(element('span', 'msgbook-Brought-note', ` · ${words}`));
      }
    });
  }
  return node;
}

function noteOf(item: IBrought, trans: TranslationBundle): string {
  if (item.isUnchanged) {
    return trans.__('unchanged, sent above');
  }
  return item.kind === 'picture' && item.digest === undefined
    ? trans.__('loaded by the server of the model')
    : '';
}

function showPicture(
  node: HTMLElement,
  { name }: IBrought,
  url: string | null
): void {
  if (url === null || url.length > MAX_ADDRESS || !PICTURE.test(url)) {
    return;
  }
  const picture = element('img', 'msgbook-Brought-picture');
  picture.alt = visible(name.slice(0, 1000));
  picture.decoding = 'async';
  picture.src = url;
  node.prepend(picture);
}

/** Return the name in one line: the end of a long one, where the name of a file stands. */
function shownName({ kind, name }: IBrought): string {
  const line = visible(name.slice(-1000).replace(/\s+/g, ' '));
  const shown = line.length <= SHOWN ? line : `…${line.slice(1 - SHOWN)}`;
  return kind === 'call' ? `${shown}{…}` : shown;
}
