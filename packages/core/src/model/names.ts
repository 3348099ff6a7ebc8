/**
 * File names are bytes. In memory, a name is a one-byte string: one character U+0000..U+00FF per byte. So every name
 * that a disk can hold survives, `<` compares names bytewise, and names work as map keys.
 */

declare const brand: unique symbol;

/** One path component, one character per byte. Never empty, never contains `/` or NUL. */
export type Name = string & { readonly [brand]: 'Name' };

/** A path in a workspace: components joined by `/`, one character per byte. `''` is the workspace itself. */
export type TreePath = string & { readonly [brand]: 'TreePath' };

/** An absolute path on this machine, one character per byte, in the platform's notation. */
export type DiskPath = string & { readonly [brand]: 'DiskPath' };

/** A name or path in JSON: text if the bytes are valid UTF-8, otherwise the bytes in base64. */
export type JsonName = string | { readonly b64: string };

const ASCII = /^[\x00-\x7f]*$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes text as UTF-8 and returns the bytes as a one-byte string. */
export function bytesFromText(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Decodes a one-byte string as UTF-8; returns null if it is not valid. */
export function textFromBytes(bytes: string): string | null {
  if (ASCII.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}

/** Converts a name to JSON: text if its bytes are valid UTF-8, otherwise `{ b64 }`. */
export function nameToJson(bytes: string): JsonName {
  return textFromBytes(bytes) ?? { b64: Buffer.from(bytes, 'latin1').toString('base64') };
}

/** Like {@link nameToJson}, but never text that could also be read as the bytes of another name. */
export function exactName(bytes: string): JsonName {
  return ASCII.test(bytes) ? bytes : { b64: Buffer.from(bytes, 'latin1').toString('base64') };
}

/**
 * Returns whether a string with other characters than ASCII can be both text and the bytes of a name, such as `Ã©`. Text of
 * that form is nearly always a name in bytes, from a result, that the caller has not converted.
 */
export function isTextOrBytes(given: string): boolean {
  return !ASCII.test(given) && /^[\x00-\xff]*$/.test(given) && textFromBytes(given) !== null;
}

/** Converts a name from JSON to a one-byte string. */
export function nameFromJson(json: JsonName): string {
  return typeof json === 'string' ? bytesFromText(json) : Buffer.from(json.b64, 'base64').toString('latin1');
}

/** @throws RangeError if the text is not a valid name. Names from disks and trees need no conversion. */
export function nameOf(text: string): Name {
  if (isName(text)) return text;
  throw new RangeError(`${JSON.stringify(text)} is not a file name`);
}

export const WORKSPACE_ITSELF = '' as TreePath;

/** Names with a special meaning for git, in any folder. */
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

/** Yields the folders above a path, the nearest first, without the workspace itself. */
export function* foldersAbove(path: TreePath): Generator<TreePath> {
  for (let at = parentPath(path); at !== ''; at = parentPath(at)) yield at;
}

export function baseName(path: TreePath): Name {
  return path.slice(path.lastIndexOf('/') + 1) as Name;
}

/** Returns the components of a path from the top down; none for the workspace itself. */
export function pathComponents(path: TreePath): readonly Name[] {
  return path === '' ? [] : (path.split('/') as Name[]);
}

/** Joins a folder and a path relative to it. */
export function joinPaths(folder: TreePath, inside: TreePath): TreePath {
  if (folder === '') return inside;
  return inside === '' ? folder : (`${folder}/${inside}` as TreePath);
}

/** Joins a folder and a relative path that may contain `.` and `..`; null: it leads out of the workspace. */
export function joinRelative(folder: TreePath, relative: string): TreePath | null {
  const parts: string[] = [...pathComponents(folder)];
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/') as TreePath;
}

/** Returns `path` relative to `folder`, which must be the path itself or a folder above it. */
export function relativePath(folder: TreePath, path: TreePath): TreePath {
  return folder === '' ? path : (path.slice(folder.length + 1) as TreePath);
}

/** Converts a path from JSON, unchecked. Check untrusted paths with `checkTreePath` or `treePathOf`. */
export function treePathFromJson(json: JsonName): TreePath {
  return nameFromJson(json) as TreePath;
}

/** Converts a name from JSON, unchecked. */
export function componentFromJson(json: JsonName): Name {
  return nameFromJson(json) as Name;
}

/** Converts a disk path from JSON, unchecked. */
export function diskPathFromJson(json: JsonName): DiskPath {
  return nameFromJson(json) as DiskPath;
}

/** @param name one component, or several separated by slashes, in bytes */
export function diskChild(folder: DiskPath, name: string): DiskPath {
  return (folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`) as DiskPath;
}

/** Returns the disk path of a path in the workspace. */
export function onDisk(root: DiskPath, path: TreePath): DiskPath {
  return path === '' ? root : diskChild(root, path);
}

/** Returns the folder that contains `path`; null if `path` is a root or has no parent folder. */
export function diskParent(path: DiskPath): DiskPath | null {
  const cut = path.lastIndexOf('/');
  if (cut < 0 || path === '/') return null;
  return (cut === 0 ? '/' : path.slice(0, cut)) as DiskPath;
}

/** Appends `suffix` to the file name: the path of a file in the same folder. */
export function withSuffix(path: DiskPath, suffix: string): DiskPath {
  return `${path}${suffix}` as DiskPath;
}

/** Removes a suffix that the path must end in. */
export function withoutSuffix(path: DiskPath, suffix: string): DiskPath {
  return path.slice(0, -suffix.length) as DiskPath;
}

/** Returns true if `path` is `folder` or below it. Compares whole components, not name prefixes. */
export function isWithin(path: TreePath, folder: TreePath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** The same for paths on disk. */
export function isInside(path: DiskPath, folder: DiskPath): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function isName(text: string): text is Name {
  return text !== '' && !/[/\0]/.test(text);
}
