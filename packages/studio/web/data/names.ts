/** Names and texts from outside, made safe to show: control and direction characters are escaped, never obeyed. */
import type { JsonName } from '@savepoint/core';
import { showText } from '@savepoint/core/text';

export type { JsonName };

/** A key for maps and addresses: different names have different keys. */
export function nameKey(name: JsonName): string {
  return typeof name === 'string' ? name : `b64:${name.b64}`;
}

export function nameFromKey(key: string): JsonName {
  return key.startsWith('b64:') ? { b64: key.slice('b64:'.length) } : key;
}

/** The workspace itself is shown as a dot. */
export function shownName(name: JsonName): string {
  if (typeof name === 'string') return name === '' ? '.' : showText(name);
  return showText(textOf(name));
}

/** Text that may have several lines is put on one. */
export function shownText(text: string): string {
  return showText(text);
}

export function shownLines(text: string): string {
  return showText(text, 'keep');
}

/** A part of a line of a file: tabs stay. */
export function shownCode(text: string): string {
  return text
    .split('\t')
    .map((part) => showText(part))
    .join('\t');
}

/** Bytes that are not UTF-8 become replacement characters. */
export function textOf(name: JsonName): string {
  if (typeof name === 'string') return name;
  return new TextDecoder().decode(Uint8Array.from(atob(name.b64), (letter) => letter.charCodeAt(0)));
}

/** A description as a sentence. One that was shortened has its dots already. */
export function asSentence(description: string): string {
  return description.endsWith('…') ? description : `${description}.`;
}

export function folderAndFile(path: string): { readonly folder: string; readonly file: string } {
  const at = path.lastIndexOf('/') + 1;
  return { folder: path.slice(0, at), file: path.slice(at) };
}
