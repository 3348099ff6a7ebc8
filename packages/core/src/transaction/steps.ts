/** Determines the order in which a transaction's paths change. */
import type { FileEntry, FolderEntry, LinkEntry } from '../model/entries.ts';
import type { TreePath } from '../model/names.ts';
import type { ClosedFolder, Transition } from './transition.ts';

/** `slot` is the transition's index. Its staged file is `new/<slot>`, the file that it replaces is `old/<slot>`. */
export type TransactionStep =
  /** Lets the owner change the contents of a folder. The `mode` steps restore its permissions. */
  | { readonly do: 'open'; readonly path: TreePath; readonly mode: number }
  | { readonly do: 'aside'; readonly path: TreePath; readonly slot: number; readonly entry: FileEntry | LinkEntry }
  | { readonly do: 'remove-folder'; readonly path: TreePath; readonly mode: number }
  | { readonly do: 'make-folder'; readonly path: TreePath }
  | { readonly do: 'place'; readonly path: TreePath; readonly slot: number; readonly entry: FileEntry | LinkEntry }
  | {
      readonly do: 'mode';
      readonly path: TreePath;
      readonly kind: 'file' | 'folder';
      readonly mode: number;
      readonly was: number | null;
    };

/**
 * Returns the steps in order. Removals come first: files in the order of the transitions, then folders, deepest first.
 * Then come additions, folders before their contents. Permissions come last, when nothing more is put into a folder.
 * This way a file can replace a folder and vice versa, and a name can change its letter case.
 */
export function stepsFor(
  transitions: readonly Transition[],
  closed: readonly ClosedFolder[],
): readonly TransactionStep[] {
  const opening: TransactionStep[] = closed.map(({ path, mode }) => ({ do: 'open', path, mode }));
  const removed: TransactionStep[] = [];
  const emptied: TransactionStep[] = [];
  const making: TransactionStep[] = [];
  const placing: TransactionStep[] = [];
  const modes: TransactionStep[] = [];
  for (const [slot, transition] of transitions.entries()) {
    const { path, from, to } = transition;
    if (isModeChangeOnly(transition)) {
      const [before, after] = [from, to] as [FileEntry | FolderEntry, FileEntry | FolderEntry];
      modes.push({ do: 'mode', path, kind: before.kind, mode: after.mode, was: before.mode });
      continue;
    }
    const replaced = isLeaf(from) && isLeaf(to);
    if (isLeaf(from)) (replaced ? placing : removed).push({ do: 'aside', path, slot, entry: from });
    if (from?.kind === 'folder') emptied.push({ do: 'remove-folder', path, mode: from.mode });
    if (isLeaf(to)) placing.push({ do: 'place', path, slot, entry: to });
    if (to?.kind === 'folder') {
      making.push({ do: 'make-folder', path });
      modes.push({ do: 'mode', path, kind: 'folder', mode: to.mode, was: null });
    }
  }
  const modePaths = new Set(modes.map((step) => step.path));
  for (const { path, mode } of closed) {
    if (!modePaths.has(path)) modes.push({ do: 'mode', path, kind: 'folder', mode, was: mode });
  }
  return [
    ...opening.sort(shallowFirst),
    ...removed,
    ...emptied.sort(deepFirst),
    ...making.sort(shallowFirst),
    ...placing,
    ...modes.sort(deepFirst),
  ];
}

export function isLeaf(entry: Transition['from']): entry is FileEntry | LinkEntry {
  return entry !== null && entry.kind !== 'folder';
}

/** Only the permissions change, and the file keeps its inode. */
export function isModeChangeOnly({ from, to, isShared = false }: Omit<Transition, 'path'>): boolean {
  return !isShared && hasSameContent({ from, to });
}

/** Same kind and same content: nothing but the permissions can differ. */
export function hasSameContent({ from, to }: Pick<Transition, 'from' | 'to'>): boolean {
  if (from === null || to === null || from.kind !== to.kind || from.kind === 'link') return false;
  return from.kind === 'folder' || (to.kind === 'file' && from.id === to.id);
}

/** Returns the paths that a transaction changes. */
export function pathsOf({ transitions }: { readonly transitions: readonly Transition[] }): readonly TreePath[] {
  return transitions.flatMap(({ path, from, to }) => (from === null && to === null ? [] : [path]));
}

function depth(path: TreePath): number {
  return path === '' ? 0 : path.split('/').length;
}

function shallowFirst(a: TransactionStep, b: TransactionStep): number {
  return depth(a.path) - depth(b.path);
}

function deepFirst(a: TransactionStep, b: TransactionStep): number {
  return depth(b.path) - depth(a.path);
}
