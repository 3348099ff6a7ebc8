/** The façade: the workspace of one folder, with all calls. */

import { type BundleCalls, bundleCalls } from './engine/calls/bundles.ts';
import { type CheckpointCalls, checkpointCalls } from './engine/calls/checkpoints.ts';
import { type CheckCalls, checkCalls } from './engine/calls/checks.ts';
import { type MapCalls, mapCalls } from './engine/calls/code-map.ts';
import { type CommentCalls, commentCalls } from './engine/calls/comments.ts';
import { type CopyCalls, copyCalls } from './engine/calls/copies.ts';
import { type EditCalls, editCalls } from './engine/calls/edits.ts';
import { type FindingCalls, findingCalls } from './engine/calls/findings.ts';
import { type ForkCalls, forkCalls } from './engine/calls/forks.ts';
import { type FrozenPathCalls, frozenPathCalls } from './engine/calls/frozen-paths.ts';
import { type GuardCalls, guardCalls } from './engine/calls/guard.ts';
import { type HistoryCalls, historyCalls } from './engine/calls/history.ts';
import { type OwnEntriesCalls, ownEntriesCalls } from './engine/calls/own-entries.ts';
import { type PlanCommitCalls, planCommitCalls } from './engine/calls/plan-commit.ts';
import { type PlanModeCalls, planModeCalls } from './engine/calls/plan-mode.ts';
import { type PlanPolicyCalls, planPolicyCalls } from './engine/calls/plan-policy.ts';
import { type PlanRunCalls, planRunCalls } from './engine/calls/plan-runs.ts';
import { type PlanSourceCalls, planSourceCalls } from './engine/calls/plan-sources.ts';
import { type PlanCalls, planCalls } from './engine/calls/plans.ts';
import { type RewindCalls, rewindCalls } from './engine/calls/rewind.ts';
import { type ScopeCalls, scopeCalls } from './engine/calls/scope.ts';
import { type StateRunCalls, stateRunCalls } from './engine/calls/state-runs.ts';
import { type StoreCalls, storeCalls } from './engine/calls/store.ts';
import { type TestResultCalls, testResultCalls } from './engine/calls/test-results.ts';
import { type WorkspaceCalls, workspaceCalls } from './engine/calls/workspaces.ts';
import { Engine } from './engine/engine.ts';
import type { Events, Listener } from './engine/events.ts';
import type { OpenOptions } from './engine/options.ts';
import { sessionHost } from './engine/session-host.ts';
import { checkListener, checkOpenOptions, checkWork, withCheckedArguments } from './engine/shapes/call-shapes.ts';
import { Session } from './session/session.ts';
import type { SessionOptions } from './session/session-options.ts';

/** One workspace, with all its calls. */
export interface Savepoint
  extends CheckpointCalls,
    HistoryCalls,
    RewindCalls,
    EditCalls,
    FrozenPathCalls,
    OwnEntriesCalls,
    BundleCalls,
    WorkspaceCalls,
    StoreCalls,
    TestResultCalls,
    CopyCalls,
    CheckCalls,
    FindingCalls,
    MapCalls,
    ForkCalls,
    StateRunCalls,
    GuardCalls,
    PlanSourceCalls,
    PlanCommitCalls,
    PlanPolicyCalls,
    PlanRunCalls,
    PlanCalls,
    PlanModeCalls,
    CommentCalls,
    ScopeCalls {
  /** Opens an agent's session. Nothing is captured until its work starts. */
  session(options: SessionOptions): Session;
  /**
   * Runs several calls that share one lookup of the workspace's location and settings. Faster if a process answers one
   * event with a few calls. Not for long work, during which others may move the workspace or change settings.
   * @param work receives the same workspace; calls made through it share the lookup
   */
  once<T>(work: (savepoint: Savepoint) => Promise<T>): Promise<T>;
  /** @returns a function that removes the listener */
  on<Name extends keyof Events>(name: Name, listener: Listener<Name>): () => void;
  /** The current time of the engine's clock, in milliseconds since 1970. */
  now(): number;
  /** Resolves when the background tasks are done. */
  idle(): Promise<void>;
  /**
   * Stops watching the workspace, unless other engines share the watch. Must not be called during a call. Later calls
   * fail with USAGE.
   */
  close(): void;
}

/**
 * Opens a workspace. Nothing is read or created before the first call. A call with an argument of another shape fails with
 * USAGE.
 */
export function open(options: OpenOptions): Savepoint {
  checkOpenOptions(options);
  return savepointOf(Engine.open(options));
}

function savepointOf(engine: Engine): Savepoint {
  const { watch, ...calls } = withCheckedArguments({
    ...checkpointCalls(engine),
    ...historyCalls(engine),
    ...rewindCalls(engine),
    ...editCalls(engine),
    ...frozenPathCalls(engine),
    ...ownEntriesCalls(engine),
    ...bundleCalls(engine),
    ...workspaceCalls(engine),
    ...storeCalls(engine),
    ...testResultCalls(engine),
    ...checkCalls(engine),
    ...findingCalls(engine),
    ...mapCalls(engine),
    ...copyCalls(engine),
    ...forkCalls(engine),
    ...stateRunCalls(engine),
    ...guardCalls(engine),
    ...planSourceCalls(engine),
    ...planCommitCalls(engine),
    ...planCalls(engine),
    ...planModeCalls(engine),
    ...commentCalls(engine),
    ...scopeCalls(engine),
    ...planPolicyCalls(engine),
    ...planRunCalls(engine),
  });
  return {
    ...whileOpen(engine, calls),
    watch: (options) => {
      engine.assertOpen();
      return watch(options);
    },
    session: (options) => new Session(sessionHost(engine), options),
    once: async (work) => {
      checkWork(work);
      engine.assertOpen();
      return engine.once((once) => work(savepointOf(once)));
    },
    on: (name, listener) => {
      checkListener(name, listener);
      return engine.events.on(name, listener);
    },
    now: () => engine.ports.clock.now(),
    idle: () => engine.background.idle(),
    close: () => engine.close(),
  };
}

/** All of these calls return promises. Background tasks use the engine itself, so that they end after `close`. */
function whileOpen<T extends object>(engine: Engine, calls: T): T {
  const guarded = Object.entries(calls).map(([name, call]: [string, (...args: readonly unknown[]) => unknown]) => [
    name,
    async (...args: readonly unknown[]): Promise<unknown> => {
      engine.assertOpen();
      return call(...args);
    },
  ]);
  return Object.fromEntries(guarded) as T;
}
