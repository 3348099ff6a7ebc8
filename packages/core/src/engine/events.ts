/** The events of an engine. */

import type { Progress } from '../io/pace.ts';
import { type Checkpoint, isOperation, type RecordedChange } from '../model/checkpoint.ts';
import type { CallId, ChangeId, HunkId, SessionId } from '../model/ids.ts';
import type { OpenCall } from '../store/state/open-calls.ts';
import type { DamagedCheckpoint } from '../timeline/record/timeline.ts';
import type { RecoveredTransaction } from '../transaction/recover.ts';
import type { StateEvent } from './watch/state-events.ts';
import type { WatchedState } from './watch/states.ts';
import type { TurnEvent } from './watch/turn-events.ts';

/** What was rolled back. */
export interface RollbackEvent {
  readonly checkpoint: Checkpoint;
  readonly paths: number;
  /** The session that went back to a message. Null for other rollbacks. */
  readonly session: SessionId | null;
  /** The number of roots of the workspace. */
  readonly roots: number;
}

/** Events by name, with their data. */
export interface Events {
  readonly 'checkpoint:created': { readonly checkpoint: Checkpoint };
  /** Emitted for each change that a checkpoint lists, in order, once the checkpoint exists. */
  readonly 'change:recorded': { readonly checkpoint: Checkpoint; readonly change: RecordedChange };
  /** Emitted for each change that a rollback reverted; the checkpoint is the one of the rollback. */
  readonly 'change:rolled-back': { readonly checkpoint: Checkpoint; readonly change: ChangeId | HunkId };
  readonly 'restore:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  readonly 'edit:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  /** Emitted after `change:rolled-back` for each of its changes. */
  readonly 'rollback:completed': RollbackEvent;
  readonly 'undo:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  readonly 'redo:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  readonly 'apply:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  readonly 'merge:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  /** Calls of a session were aborted because it goes back in its conversation. */
  readonly 'session:aborted': { readonly session: SessionId; readonly calls: readonly CallId[] };
  /** Transactions of a dead process were finished or rolled back. */
  readonly recovered: { readonly settled: readonly RecoveredTransaction[] };
  readonly progress: Progress;
  /** Another process holds the lock. */
  readonly waiting: { readonly pid: number; readonly state: string };
  /** Worth knowing, but not a failure. */
  readonly warning: { readonly message: string };
}

export function rollbackEvent(checkpoint: Checkpoint, paths: number): RollbackEvent {
  return { checkpoint, paths, session: checkpoint.session, roots: checkpoint.roots.length };
}

/** The event that is emitted when an operation completes. */
export type OperationEvent =
  | 'restore:completed'
  | 'edit:completed'
  | 'undo:completed'
  | 'redo:completed'
  | 'rollback:completed'
  | 'apply:completed'
  | 'merge:completed';

/** Called with each event of one name. An exception does not affect any call, and is reported as a `warning`. */
export type Listener<Name extends keyof Events> = (event: Events[Name]) => void;

export class EventStream {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();

  /** @returns a function that removes the listener */
  on<Name extends keyof Events>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener as (event: never) => void);
    return () => listeners.delete(listener as (event: never) => void);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) this.#notify(name, listener as Listener<Name>, event);
  }

  /** Emits the events of a new checkpoint: first the checkpoint itself, then its changes. */
  emitCheckpoint(checkpoint: Checkpoint): void {
    this.emit('checkpoint:created', { checkpoint });
    for (const change of checkpoint.changes ?? []) this.emit('change:recorded', { checkpoint, change });
  }

  /** A listener's failure must not interrupt a transaction, nor end the process as an uncaught exception. */
  #notify<Name extends keyof Events>(name: Name, listener: Listener<Name>, event: Events[Name]): void {
    const fail = (error: unknown): void => {
      if (name === 'warning') return;
      const message = error instanceof Error ? error.message : String(error);
      this.emit('warning', { message: `A listener of ${name} failed: ${message}` });
    };
    try {
      // The listener may be an async function, whose promise no caller waits for.
      Promise.resolve(listener(event) as unknown).catch(fail);
    } catch (error) {
      fail(error);
    }
  }
}

/**
 * An event of a watch. Those of the timeline are derived from a checkpoint, by any process. The last three say that something
 * is different, not what happened in between.
 */
export type WatchEvent =
  | { readonly event: 'checkpoint:created'; readonly checkpoint: Checkpoint }
  | { readonly event: 'change:recorded'; readonly checkpoint: Checkpoint; readonly change: RecordedChange }
  | { readonly event: 'change:rolled-back'; readonly checkpoint: Checkpoint; readonly change: string }
  | { readonly event: OperationEvent; readonly checkpoint: Checkpoint; readonly paths: number }
  | { readonly event: 'checkpoint:damaged'; readonly damaged: DamagedCheckpoint }
  | TurnEvent
  | StateEvent
  /** All open calls of agents, oldest first. */
  | { readonly event: 'calls:changed'; readonly calls: readonly OpenCall[] }
  | { readonly event: 'state:changed'; readonly state: Exclude<WatchedState, 'calls'> }
  /** What was seen at the point is not known any more: load everything again. What is known to be new follows. */
  | { readonly event: 'events:missed' };

/** In the order in which an engine emits them. */
export function* eventsOf(checkpoint: Checkpoint): Generator<WatchEvent> {
  yield { event: 'checkpoint:created', checkpoint };
  for (const change of checkpoint.changes ?? []) yield { event: 'change:recorded', checkpoint, change };
  for (const change of checkpoint.rolledBack) yield { event: 'change:rolled-back', checkpoint, change };
  const { trigger } = checkpoint;
  if (isOperation(trigger))
    yield { event: `${trigger}:completed` as OperationEvent, checkpoint, paths: checkpoint.totals.files };
}
