/**
 * File names are bytes. In memory a name is a one-byte string: one character U+0000..U+00FF per byte,
 * so that any name a disk can hold survives, compares bytewise with `<`, and works as a map key.
 */

declare const brand: unique symbol;

/** One path component, one character per byte; never empty, never contains `/` or NUL. */
export type Name = string & { readonly [brand]: 'Name' };

/** Path inside a workspace: components joined by `/`, one character per byte; `''` is the workspace itself. */
export type TreePath = string & { readonly [brand]: 'TreePath' };

/** Absolute path on this machine, one character per byte, in the platform's own notation. */
export type DiskPath = string & { readonly [brand]: 'DiskPath' };

/** A name or path in JSON: text where the bytes are valid UTF-8, else the bytes in base64. */
export type JsonName = string | { readonly b64: string };

const ASCII = /^[\x00-\x7f]*$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of ordinary text (UTF-8), as a one-byte string. */
export function bytesFromText(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The text of a one-byte string, or null where its bytes are not valid UTF-8. */
export function textFromBytes(bytes: string): string | null {
  if (ASCII.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}

export function nameToJson(bytes: string): JsonName {
  return textFromBytes(bytes) ?? { b64: Buffer.from(bytes, 'latin1').toString('base64') };
}

export function nameFromJson(json: JsonName): string {
  return typeof json === 'string' ? bytesFromText(json) : Buffer.from(json.b64, 'base64').toString('latin1');
}

export const WORKSPACE_ITSELF = '' as TreePath;

export function childPath(parent: TreePath, name: Name): TreePath {
  return (parent === '' ? name : `${parent}/${name}`) as TreePath;
}

export function parentPath(path: TreePath): TreePath {
  const cut = path.lastIndexOf('/');
  return (cut < 0 ? '' : path.slice(0, cut)) as TreePath;
}

export function lastName(path: TreePath): Name {
  return path.slice(path.lastIndexOf('/') + 1) as Name;
}

/** True if `path` is `folder` or lies below it (by components, never by prefix of a name). */
export function isWithin(path: TreePath, folder: TreePath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
