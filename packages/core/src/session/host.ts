/** What a session needs from the engine. */

import type { AutomaticCapture } from '../config/effective.ts';
import type { PathContext } from '../io/locate-path.ts';
import type { Ports } from '../io/ports.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Checkpoint, ConversationPosition } from '../model/checkpoint.ts';
import type { SentComment } from '../model/comment.ts';
import type { SavepointError } from '../model/errors.ts';
import type { CallId, SessionId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import type { PlanNews } from '../model/plan.ts';
import type { OperationResult } from '../operation/operation.ts';
import type { RestoreMode } from '../rewind/operations.ts';
import type { FrozenPath } from '../store/state/frozen.ts';
import type { CaptureResult } from '../timeline/capture/capture.ts';
import type { CheckpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { GuardAttempt, GuardedWork, GuardOptions, GuardStep, GuardStepRequest } from './guarded-work.ts';
import type { HeldEditsRequest, ProposedCall } from './plan-mode.ts';

export interface SessionHost {
  readonly ports: Pick<Ports, 'clock' | 'random' | 'processes'>;
  /** Runs several steps that read the workspace's location and settings only once. */
  once<T>(work: (steps: SessionSteps) => Promise<T>): Promise<T>;
  /** See `Session.guard`. */
  guardWork<T>(
    session: SessionId,
    work: (attempt: GuardAttempt) => T | Promise<T>,
    options: GuardOptions,
  ): Promise<GuardedWork<T>>;
  /** See `Session.guardStep`. */
  guardStep(session: SessionId, agent: string, request: GuardStepRequest): Promise<GuardStep | null>;
  /** Makes the edits a part of the open plan of the session, or of a new one. The caller has found plan mode on. */
  proposeHeld(session: SessionId, request: HeldEditsRequest, options: CallOptions): Promise<ProposedCall>;
  /** See `Session.planNews`. */
  planNews(session: SessionId): Promise<readonly PlanNews[]>;
  /** See `Session.isInPlanCopy`. */
  isCopyForPlan(): boolean;
  /** See `Session.takeComments`. */
  takeComments(session: SessionId, agent: string): Promise<readonly SentComment[]>;
  /** In a copy: tells the process outside that the agent ended a turn. */
  turnEnded(): void;
  /** Applies retention in the background. A failure is only a warning. */
  applyRetention(): void;
  /** Announces that calls were aborted because the session goes back in its conversation. */
  announceAborted(calls: readonly CallId[], session: SessionId): void;
}

export interface SessionSteps {
  /** What is captured automatically. @throws SavepointError BAD_CONFIG */
  automatic(): AutomaticCapture;
  /** @throws SavepointError STORE_DAMAGED */
  frozen(): readonly FrozenPath[];
  /** Null if the file is damaged. */
  frozenIfKnown(): readonly FrozenPath[] | null;
  /** @throws SavepointError ROOT_REFUSED */
  location(): PathContext;
  /** Runs without the lock. @returns null if there is no store yet */
  read<T>(work: (workspace: Workspace) => T): T | null;
  /** Runs under the lock and creates the store if needed. Afterwards, frozen paths that agents changed are reverted. */
  write<T>(options: CallOptions, work: (writing: SessionWriteContext) => Promise<T>): Promise<WriteResult<T>>;
  /** Restores the state that `target` finds. Later changes of other sessions are kept, or are a conflict. */
  restoreTo(request: RestoreToRequest): Promise<OperationResult & { readonly target: Checkpoint }>;
}

export interface SessionWriteContext {
  readonly workspace: Workspace;
  /** @param always take a checkpoint even if nothing differs from the last one */
  capture(info: CheckpointInfo, always: boolean): Promise<CaptureResult>;
}

export interface WriteResult<T> {
  readonly value: T;
  /** Null: no frozen path was changed. */
  readonly putBack: PutBack | null;
}

/** Frozen paths that were changed and have been reverted. */
export interface PutBack {
  readonly paths: readonly TreePath[];
  /** Why some of them could not be reverted. */
  readonly problem: SavepointError | null;
}

export interface RestoreToRequest extends CallOptions {
  readonly session: SessionId;
  readonly target: (workspace: Workspace) => Checkpoint;
  readonly mode: { readonly mode?: RestoreMode; readonly allowPartial?: boolean; readonly git?: boolean };
  /** The position in the conversation afterwards. */
  readonly position: ConversationPosition;
}
