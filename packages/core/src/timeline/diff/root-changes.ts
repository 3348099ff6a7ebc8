/**
 * Lists what happened to the roots between two states. The files of an added or removed root are listed as changes like
 * any others; its branch is not.
 */
import type { RootState } from '../../model/checkpoint.ts';
import { isWithin, type TreePath } from '../../model/names.ts';

/** `moved`: another branch or commit is checked out. */
export interface RootChange {
  readonly path: TreePath;
  readonly what: 'appeared' | 'vanished' | 'moved';
  /** Null if it was not a root. */
  readonly before: RootState | null;
  readonly after: RootState | null;
}

/** Returns the changes in the order of their paths. */
export function rootChanges(before: readonly RootState[], after: readonly RootState[]): readonly RootChange[] {
  // About a root that could not be captured nothing is known, so it has neither vanished nor appeared.
  const unknown = new Set([...before, ...after].filter(({ failed }) => failed !== undefined).map(({ path }) => path));
  const isCompared = (root: RootState): boolean => isRoot(root) && !unknown.has(root.path);
  const was = new Map(before.filter(isCompared).map((root) => [root.path, root]));
  const is = new Map(after.filter(isCompared).map((root) => [root.path, root]));
  const changes: RootChange[] = [];
  for (const path of [...new Set([...was.keys(), ...is.keys()])].sort()) {
    const [old, now] = [was.get(path) ?? null, is.get(path) ?? null];
    if (old === null || now === null) {
      changes.push({ path, what: old === null ? 'appeared' : 'vanished', before: old, after: now });
    } else if (old.kind === now.kind && (old.branch !== now.branch || old.commit !== now.commit)) {
      changes.push({ path, what: 'moved', before: old, after: now });
    }
  }
  return changes;
}

/** Returns the innermost root that contains a path. */
export function rootOf(path: TreePath, roots: readonly RootState[]): TreePath | null {
  let found: TreePath | null = null;
  for (const root of roots) {
    if (isWithin(path, root.path) && (found === null || root.path.length > found.length)) found = root.path;
  }
  return found;
}

/** The workspace's own folder is always there. */
function isRoot({ path, kind }: RootState): boolean {
  return kind === 'repository' || path !== '';
}
