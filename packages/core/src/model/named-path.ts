import type { TreePath } from './names.ts';

/** A path that a command names in its own words. */
export interface NamedPath {
  readonly path: TreePath;
  /** `folder`: with everything below it. `pattern`: with `*`, `?`, `[…]` or `{…}`. */
  readonly as: 'path' | 'folder' | 'pattern';
}
