/** The context of a call that writes. */

import type { Pace } from '../io/pace.ts';
import type { OperationContext } from '../operation/operation.ts';
import type { HeldLock } from '../store/lock.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Context } from './context.ts';

/** A workspace whose lock is held during one call. */
export interface WriteContext {
  readonly context: Context;
  readonly workspace: Workspace;
  readonly lock: HeldLock;
  readonly pace: Pace;
}

/** The same, with all overlapping workspaces locked and their transactions recovered as far as possible. */
export type WriteOperationContext = WriteContext & OperationContext;

/**
 * `existing`: never creates a workspace. `alone` locks only this workspace; the others also lock all that overlap it.
 */
export type LockScope = 'alone' | 'existing' | 'existing-or-new';
