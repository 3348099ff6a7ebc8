/**
 * Resolves the paths that callers of the library give: plain strings, relative to the workspace's own folder or absolute.
 * A string is text and becomes UTF-8, as it is, in whatever normal form. A name that is not UTF-8 is given as `{ b64 }`.
 */

import { showText } from '../content/show-name.ts';
import { SavepointError } from '../model/errors.ts';
import {
  type DiskPath,
  isTextOrBytes,
  type JsonName,
  nameFromJson,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import { type PathContext, treePathOf } from './locate-path.ts';
import type { Ports } from './ports.ts';

/** The workspace of the paths: its real path, and its machine. */
export interface GivenPathContext {
  readonly root: DiskPath;
  readonly ports: Pick<Ports, 'platform'> & { readonly fs: PathContext['fs'] };
}

/**
 * Returns the path inside the workspace; an empty string is the workspace itself.
 * @throws SavepointError PATH_REFUSED if it is outside, USAGE if it is not a path
 */
export function givenPath({ root, ports }: GivenPathContext, given: JsonName): TreePath {
  assertPath(given);
  if (given === '') return WORKSPACE_ITSELF;
  const { fs, platform } = ports;
  return treePathOf({ root, dir: root, folder: WORKSPACE_ITSELF, fs, platform }, given);
}

/** @throws SavepointError PATH_REFUSED, USAGE */
export function givenPaths(context: GivenPathContext, given: readonly JsonName[]): readonly TreePath[] {
  return assertList(given).map((path) => givenPath(context, path));
}

/**
 * Returns the absolute path of a file or folder that may be outside the workspace, such as that of a bundle.
 * @throws SavepointError PATH_REFUSED, USAGE
 */
export function givenDiskPath({ platform }: Pick<Ports, 'platform'>, given: JsonName): DiskPath {
  assertPath(given);
  const path = nameFromJson(given);
  if (path.startsWith('/') || (platform === 'win32' && /^[A-Za-z]:[\\/]/.test(path))) return path as DiskPath;
  throw usage(`The path ${showText(JSON.stringify(given))} is not absolute.`);
}

/** @throws SavepointError PATH_REFUSED, USAGE */
export function assertPath(given: unknown): asserts given is JsonName {
  if (typeof given === 'string') {
    if (!isTextOrBytes(given)) return;
    const why = 'can be text or the bytes of a name';
    throw new SavepointError(
      'PATH_REFUSED',
      `The path ${JSON.stringify(given)} ${why}.`,
      { path: given, why },
      {
        hint: 'Convert a path from a result of the library with `nameToJson`; give any other path of this form as `{ b64 }`.',
      },
    );
  }
  const { b64 } = Object(given) as { readonly b64?: unknown };
  if (typeof b64 !== 'string') throw usage('A path must be a string, or `{ b64 }` with its bytes in base64.');
}

function assertList(given: unknown): readonly JsonName[] {
  if (Array.isArray(given)) return given as readonly JsonName[];
  throw usage('The paths must be an array of strings.');
}

function usage(message: string): SavepointError {
  return new SavepointError('USAGE', message, { argument: 'path' });
}
