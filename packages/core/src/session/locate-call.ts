/** Resolves the paths of a tool call to paths in the workspace. */

import { assertPath, givenDiskPath } from '../io/given-path.ts';
import { declaredPaths, type PathContext } from '../io/locate-path.ts';
import { SavepointError } from '../model/errors.ts';
import { type JsonName, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { GivenWrite, ReportedWrite } from '../model/reported-write.ts';
import type { CallRequest, LocatedCall } from './call-request.ts';
import type { SessionSteps } from './host.ts';

/**
 * @param place where relative paths start
 * @throws SavepointError PATH_REFUSED: a write to such a path could not be attributed or rolled back; USAGE
 */
export function locateCall(place: PathContext, { paths, writes, dir, ...rest }: CallRequest): LocatedCall {
  return {
    ...rest,
    ...(paths === undefined ? {} : { paths: [...new Set(paths.flatMap((path) => locate(place, path)))] }),
    ...(writes === undefined ? {} : { writes: locateWrites(place, writes) }),
    ...(dir === undefined ? {} : { dir: givenDiskPath(place, dir) }),
  };
}

/**
 * A path that may be two in the workspace, as through a link, has no report.
 * @throws SavepointError PATH_REFUSED, USAGE
 */
export function locateWrites(place: PathContext, writes: readonly GivenWrite[]): readonly ReportedWrite[] {
  return writes.flatMap(({ path: given, ...report }) => {
    const [path, ...more] = locate(place, given);
    return path === undefined || more.length > 0 ? [] : [{ ...report, path }];
  });
}

/** Relative paths start in the workspace's own folder. */
export function ownFolder(steps: Pick<SessionSteps, 'location'>): PathContext {
  const place = steps.location();
  return { ...place, dir: place.root, folder: WORKSPACE_ITSELF };
}

/** The value of the work, or its error. */
export function valueOrError<T>(work: () => T): { readonly value: T | null; readonly error?: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { value: null, error };
  }
}

function locate(place: PathContext, given: JsonName): readonly TreePath[] {
  assertPath(given);
  const { paths, refused } = declaredPaths(place, [given]);
  const [first] = refused;
  if (first === undefined) return paths;
  const message = `The path ${JSON.stringify(given)} is invalid: it ${first.why}.`;
  throw new SavepointError('PATH_REFUSED', message, { path: given, why: first.why });
}
