/** What a call that writes works with. */

import type { Pace } from '../io/pace.ts';
import type { OperationContext } from '../operation/operation.ts';
import type { HeldLock } from '../store/lock.ts';
import type { Workspace } from '../timeline/capture/capture.ts';
import type { Context } from './context.ts';

/** A workspace whose lock is held, in one call. */
export interface WriteContext {
  readonly context: Context;
  readonly workspace: Workspace;
  readonly lock: HeldLock;
  readonly pace: Pace;
}

/** The same, with the locks of all workspaces that overlap, and with what could be settled there settled. */
export type WriteOperationContext = WriteContext & OperationContext;

/** `existing`: never makes a workspace. `alone` locks it alone, the others with all that overlap it. */
export type LockScope = 'alone' | 'existing' | 'existing-or-new';
