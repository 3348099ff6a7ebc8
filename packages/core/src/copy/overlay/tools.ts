import { findProgram } from '../../io/find-program.ts';
import type { Ports } from '../../io/ports.ts';
import type { DiskPath } from '../../model/names.ts';

/** The programs that make an overlay and enter it. Absolute paths: the PATH of a command in a copy may lead anywhere. */
export interface OverlayTools {
  readonly nsenter: string;
  readonly setpriv: string;
  readonly env: string;
  /** Null if it is missing. */
  readonly flock: string | null;
  /** Where the scripts find their programs: folders outside of the workspace. */
  readonly searchPath: string;
}

const NAMES = ['unshare', 'nsenter', 'setpriv', 'mount', 'env', 'id', 'cat', 'grep', 'find', 'readlink'] as const;

/** @returns or the name of a program that is missing */
export function findTools(
  ports: Pick<Ports, 'fs' | 'platform'>,
  searchPath: string,
  root: DiskPath,
): OverlayTools | { readonly missing: string } {
  const found = new Map<string, string>();
  for (const name of ['sh', ...NAMES]) {
    const path = findProgram(ports, name, searchPath, root);
    if (path === null) return { missing: name };
    found.set(name, path);
  }
  const flock = findProgram(ports, 'flock', searchPath, root);
  if (flock !== null) found.set('flock', flock);
  const folders = new Set([...found.values()].map((path) => path.slice(0, path.lastIndexOf('/'))));
  const path = (name: (typeof NAMES)[number]): string => found.get(name) ?? name;
  return {
    nsenter: path('nsenter'),
    setpriv: path('setpriv'),
    env: path('env'),
    flock,
    searchPath: [...folders].join(':'),
  };
}
