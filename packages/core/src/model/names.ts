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

/** A name as JSON has it: text where its bytes are valid UTF-8, else `{ b64 }`. */
export function nameToJson(bytes: string): JsonName {
  return textFromBytes(bytes) ?? { b64: Buffer.from(bytes, 'latin1').toString('base64') };
}

/** The bytes of a name given in JSON, as a one-byte string. */
export function nameFromJson(json: JsonName): string {
  return typeof json === 'string' ? bytesFromText(json) : Buffer.from(json.b64, 'base64').toString('latin1');
}

/** @throws RangeError where no file can be called that; names of disks and trees are names already */
export function nameOf(text: string): Name {
  if (isName(text)) return text;
  throw new RangeError(`${JSON.stringify(text)} is not a file name`);
}

export const WORKSPACE_ITSELF = '' as TreePath;

/** Names that mean something to git, in any folder. */
export const GIT_FOLDER = nameOf('.git');
export const IGNORE_FILE = nameOf('.gitignore');
export const ATTRIBUTES_FILE = nameOf('.gitattributes');

export function childPath(parent: TreePath, name: Name): TreePath {
  return (parent === '' ? name : `${parent}/${name}`) as TreePath;
}

export function parentPath(path: TreePath): TreePath {
  const cut = path.lastIndexOf('/');
  return (cut < 0 ? '' : path.slice(0, cut)) as TreePath;
}

export function baseName(path: TreePath): Name {
  return path.slice(path.lastIndexOf('/') + 1) as Name;
}

/** The components of a path from the top down; none for the workspace itself. */
export function pathComponents(path: TreePath): readonly Name[] {
  return path === '' ? [] : (path.split('/') as Name[]);
}

/** A path that was given from inside `folder`, as seen from above it. */
export function joinPaths(folder: TreePath, inside: TreePath): TreePath {
  if (folder === '') return inside;
  return inside === '' ? folder : (`${folder}/${inside}` as TreePath);
}

/** `path` as seen from inside `folder`, which must be the path itself or a folder above it. */
export function relativePath(folder: TreePath, path: TreePath): TreePath {
  return folder === '' ? path : (path.slice(folder.length + 1) as TreePath);
}

/** A path in JSON, unchecked: one that comes from outside goes through `parseTreePath`. */
export function treePathFromJson(json: JsonName): TreePath {
  return nameFromJson(json) as TreePath;
}

/** A name in JSON, unchecked. */
export function componentFromJson(json: JsonName): Name {
  return nameFromJson(json) as Name;
}

/** A disk path in JSON, unchecked. */
export function diskPathFromJson(json: JsonName): DiskPath {
  return nameFromJson(json) as DiskPath;
}

/** @param name one component or several with slashes between them, in bytes */
export function diskChild(folder: DiskPath, name: string): DiskPath {
  return (folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`) as DiskPath;
}

/** Where a path of the workspace lies on disk. */
export function onDisk(root: DiskPath, path: TreePath): DiskPath {
  return path === '' ? root : diskChild(root, path);
}

/** The folder that holds what lies at `path`; null where that is a root, or no folder's path at all. */
export function diskParent(path: DiskPath): DiskPath | null {
  const cut = path.lastIndexOf('/');
  if (cut < 0 || path === '/') return null;
  return (cut === 0 ? '/' : path.slice(0, cut)) as DiskPath;
}

/** The path of a file beside `path` whose name is longer by `suffix`. */
export function withSuffix(path: DiskPath, suffix: string): DiskPath {
  return `${path}${suffix}` as DiskPath;
}

/** The path without the suffix that its name ends in. */
export function withoutSuffix(path: DiskPath, suffix: string): DiskPath {
  return path.slice(0, -suffix.length) as DiskPath;
}

/** True if `path` is `folder` or lies below it (by components, never by prefix of a name). */
export function isWithin(path: TreePath, folder: TreePath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

function isName(text: string): text is Name {
  return text !== '' && !/[/\0]/.test(text);
}
