/** The façade: one folder's workspace, with everything that can be done in it. */

import { type BundleCalls, bundleCalls } from './engine/calls/bundles.ts';
import { type CheckpointCalls, checkpointCalls } from './engine/calls/checkpoints.ts';
import { type EditCalls, editCalls } from './engine/calls/edits.ts';
import { type FrozenPathCalls, frozenPathCalls } from './engine/calls/frozen-paths.ts';
import { type HistoryCalls, historyCalls } from './engine/calls/history.ts';
import { type RewindCalls, rewindCalls } from './engine/calls/rewind.ts';
import { type StoreCalls, storeCalls } from './engine/calls/store.ts';
import { type WorkspaceCalls, workspaceCalls } from './engine/calls/workspaces.ts';
import { Engine } from './engine/engine.ts';
import type { Events, Listener } from './engine/events.ts';
import type { OpenOptions } from './engine/options.ts';
import { sessionHost } from './engine/session-host.ts';
import { Session, type SessionOptions } from './session/session.ts';

/** One workspace, with everything that can be done in it. */
export interface Savepoint
  extends CheckpointCalls,
    HistoryCalls,
    RewindCalls,
    EditCalls,
    FrozenPathCalls,
    BundleCalls,
    WorkspaceCalls,
    StoreCalls {
  /** An agent's work, call by call. Nothing is captured until it begins. */
  session(options: SessionOptions): Session;
  /**
   * Runs several calls that share one look at the workspace: where it is, what its settings say. Faster where a process
   * answers one event with a few calls. Not for work that goes on while others may move the workspace or change settings.
   * @param work is handed the same workspace; calls made through it share the look
   */
  once<T>(work: (savepoint: Savepoint) => Promise<T>): Promise<T>;
  /** @returns a function that ends the listening */
  on<Name extends keyof Events>(name: Name, listener: Listener<Name>): () => void;
  /** The time by the engine's clock: milliseconds since 1970. */
  now(): number;
  /** Resolves when the work in the background is done. */
  idle(): Promise<void>;
  /** Ends the watching of `watch`, unless others share it. Not while a call is under way. */
  close(): void;
}

/** Opens a workspace; nothing is read or made before the first call. */
export function open(options: OpenOptions): Savepoint {
  return savepointOf(Engine.open(options));
}

function savepointOf(engine: Engine): Savepoint {
  return {
    ...checkpointCalls(engine),
    ...historyCalls(engine),
    ...rewindCalls(engine),
    ...editCalls(engine),
    ...frozenPathCalls(engine),
    ...bundleCalls(engine),
    ...workspaceCalls(engine),
    ...storeCalls(engine),
    session: (options) => new Session(sessionHost(engine), options),
    once: (work) => engine.once((once) => work(savepointOf(once))),
    on: (name, listener) => engine.events.on(name, listener),
    now: () => engine.ports.clock.now(),
    idle: () => engine.background.idle(),
    close: () => engine.close(),
  };
}
