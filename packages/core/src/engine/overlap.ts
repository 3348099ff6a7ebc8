/** Workspaces with nested folders. An operation in one of them locks all of them. */

import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import { LastWriterMark } from '../store/last-writer-mark.ts';
import { layoutOf } from '../store/layout.ts';
import { acquireLock, type HeldLock, type LockOptions } from '../store/lock.ts';
import type { IndexedRecord } from '../store/record-index.ts';
import { readRecord } from '../store/records.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Context } from './context.ts';
import { workspaceOf } from './open.ts';

/** Returns this workspace and all others whose folders are inside or around it, always in the same order. */
export function overlappingWorkspaces(context: Context, workspace: Workspace): readonly Workspace[] {
  return overlappingStores(context, workspace).flatMap(({ id, storePath }) => {
    if (id === workspace.id) return [workspace];
    const record = readRecord(context.ports, storePath);
    return record === null ? [] : [workspaceOf(context, record)];
  });
}

/** Folders of the other workspaces that overlap this one. */
export function overlappingFolders(context: Context, workspace: Workspace): readonly IndexedRecord['path'][] {
  return overlappingStores(context, workspace).flatMap(({ id, path }) => (id === workspace.id ? [] : [path]));
}

/** Locks the workspace, and no other. */
export function lockAlone({ ports, root, store }: Workspace, pace: Pace, wait: LockOptions): Promise<HeldLock> {
  const target = {
    folder: store.layout.lock,
    what: `the workspace ${showName(root)}`,
    lastWriter: store.lastWriterMark,
  };
  return acquireLock(ports, target, pace, wait);
}

/** Locks the workspace and all others whose folders are inside or around it, always in the same order. */
export async function lockOverlapping(
  context: Context,
  workspace: Workspace,
  pace: Pace,
  wait: LockOptions,
): Promise<HeldLock> {
  const { ports } = context;
  const held: HeldLock[] = [];
  let isOurTurn = false;
  const release = (): void => {
    for (const lock of held.splice(0).reverse()) lock.release();
  };
  try {
    for (const { id, path, storePath } of overlappingStores(context, workspace)) {
      const { lock, lastWriterMark } = layoutOf(storePath);
      const lastWriter =
        id === workspace.id ? workspace.store.lastWriterMark : new LastWriterMark(ports, lastWriterMark);
      const target = { folder: lock, what: `the workspace ${showName(path)}`, lastWriter };
      const one = await acquireLock(ports, target, pace, wait);
      held.push(one);
      if (id === workspace.id) isOurTurn = one.wasLastHolder;
    }
  } catch (error) {
    release();
    throw error;
  }
  return {
    wasLastHolder: isOurTurn,
    assertHeld: () => {
      for (const lock of held) lock.assertHeld();
    },
    release,
  };
}

function overlappingStores(context: Context, { id, root, store }: Workspace): readonly IndexedRecord[] {
  const others = context.overlapping(id, root);
  const own: IndexedRecord = { id, path: root, identity: null, storePath: store.layout.path };
  return [own, ...others].sort((a, b) => (a.id < b.id ? -1 : 1));
}
