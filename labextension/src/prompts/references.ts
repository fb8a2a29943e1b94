import { PathExt } from '@jupyterlab/coreutils';

import { visible } from '../turn/text';

/** Bytes of the name of an attachment; file systems take 255, and a number may be added. */
const MAX_NAME = 200;
/** Characters of the ending of a name, which is kept when a name is cut. */
const MAX_ENDING = 20;

// Pictures that a model can be sent; others are files.
const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp)$/i;
/** Characters that end a reference or mean something else in it. */
const SPECIAL = /[[\]{}:*?]/;
/** Characters that end a line, cannot be seen, change the direction, or are half a character. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;

/** Return whether a path is that of an image. */
function isImage(path: string): boolean {
  return IMAGE.test(path);
}

/**
 * Return what stands for a file in a prompt; null if no reference can name it.
 *
 * An image is written as an image, since a reference would send only its type and size.
 *
 * @param path - From the folder of the notebook; that of a folder ends with a slash.
 */
export function referenceTo(path: string): string | null {
  if (UNSEEN.test(path)) {
    return null;
  }
  if (!isImage(path)) {
    return SPECIAL.test(path) ? null : `@[${path}]`;
  }
  // Of a name such as `@{define x, y}` no part counts in the prompt.
  const alt = PathExt.basename(path).replace(
    /[^\p{L}\p{M}\p{N} .,_/+()%-]/gu,
    ''
  );
  const target = /^[\p{L}\p{M}\p{N}._/+-]*$/u.test(path)
    ? path
    : path.split('/').map(encodeName).join('/');
  return `![${alt}](${target})`;
}

function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /[!'()*~]/g,
    one => `%${one.charCodeAt(0).toString(16)}`
  );
}

/** Return a name for a file that was pasted or dropped, which a reference can name. */
export function attachmentName(name: string): string {
  const safe = Array.from(
    PathExt.basename(name)
      // eslint-disable-next-line no-control-regex
      .replace(/[[\]{}:*?()<>|"'\\/\u0000-\u001f\u007f]/g, '-')
      .replace(/\s+/g, '-')
      .replace(/^\.+/, ''),
    one => (visible(one) === one ? one : '-')
  ).join('');
  if (safe === '') {
    return 'file';
  }
  const ending = PathExt.extname(safe);
  const isLong = ending.length > MAX_ENDING;
  const stem = isLong ? safe : safe.slice(0, safe.length - ending.length);
  const end = isLong ? '' : ending;
  return `${firstBytes(stem, MAX_NAME - sizeOf(end))}${end}`;
}

/** Return the beginning of a text, up to a size. */
function firstBytes(text: string, size: number): string {
  let left = size;
  let end = 0;
  for (const one of text) {
    left -= sizeOf(one);
    if (left < 0) {
      break;
    }
    end += one.length;
  }
  return text.slice(0, end);
}

/** Return the bytes of a text in UTF-8. */
function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Return a name that no other file has: `image.png`, `image-2.png`, ... */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const ending = PathExt.extname(name);
  const stem = name.slice(0, name.length - ending.length);
  let free = name;
  for (let number = 2; taken.has(free); number += 1) {
    free = `${stem}-${number}${ending}`;
  }
  return free;
}
