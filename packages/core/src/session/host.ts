/** What a session needs of the engine. */

import type { AutomaticCapture } from '../config/effective.ts';
import type { PathContext } from '../io/locate-path.ts';
import type { Clock, Random } from '../io/ports.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Checkpoint, ConversationPosition } from '../model/checkpoint.ts';
import type { SavepointError } from '../model/errors.ts';
import type { CallId, SessionId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import type { OperationResult } from '../operation/operation.ts';
import type { RestoreMode } from '../rewind/operations.ts';
import type { FrozenPath } from '../store/state/frozen.ts';
import type { CaptureResult, CheckpointInfo, Workspace } from '../timeline/capture/capture.ts';

export interface SessionHost {
  readonly ports: { readonly clock: Clock; readonly random: Random };
  /** Several steps that share one look at the workspace. */
  once<T>(work: (steps: SessionSteps) => Promise<T>): Promise<T>;
  /** Retention, in the background. Its failure is a warning. */
  applyRetention(): void;
  /** Announces that calls were told to end, because the session goes back in its conversation. */
  announceAborted(calls: readonly CallId[], session: SessionId): void;
}

export interface SessionSteps {
  /** What is done without being asked. @throws SavepointError BAD_CONFIG */
  automatic(): AutomaticCapture;
  frozen(): readonly FrozenPath[];
  /** @throws SavepointError ROOT_REFUSED */
  location(): PathContext;
  /** Without the lock. @returns null where there is no store yet */
  read<T>(work: (workspace: Workspace) => T): T | null;
  /** Under the lock; makes the store where there is none. Then what agents changed of what is frozen is put back. */
  write<T>(options: CallOptions, work: (writing: SessionWriteContext) => Promise<T>): Promise<WriteResult<T>>;
  /** Restores the state that `target` finds; what other sessions did since is a conflict, or kept. */
  restoreTo(request: RestoreToRequest): Promise<OperationResult & { readonly target: Checkpoint }>;
}

export interface SessionWriteContext {
  readonly workspace: Workspace;
  /** @param always also where nothing differs from the last checkpoint */
  capture(telling: CheckpointInfo, always: boolean): Promise<CaptureResult>;
}

export interface WriteResult<T> {
  readonly value: T;
  /** Null: nothing that is frozen was touched. */
  readonly putBack: PutBack | null;
}

/** Frozen paths that were changed and are again what they were. */
export interface PutBack {
  readonly paths: readonly TreePath[];
  /** Why something could not be put back. */
  readonly problem: SavepointError | null;
}

export interface RestoreToRequest extends CallOptions {
  readonly session: SessionId;
  readonly target: (workspace: Workspace) => Checkpoint;
  readonly mode: { readonly mode?: RestoreMode; readonly allowPartial?: boolean; readonly git?: boolean };
  /** Where the conversation is then. */
  readonly position: ConversationPosition;
}
