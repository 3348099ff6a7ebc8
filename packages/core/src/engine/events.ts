/** What happens in an engine, for those who watch it. */

import type { Progress } from '../io/pace.ts';
import { type Checkpoint, isOperation, type RecordedChange } from '../model/checkpoint.ts';
import type { CallId, ChangeId, HunkId, SessionId } from '../model/ids.ts';
import type { DamagedCheckpoint } from '../timeline/record/timeline.ts';
import type { RecoveredTransaction } from '../transaction/recover.ts';

/** What was taken back. */
export interface RollbackEvent {
  readonly checkpoint: Checkpoint;
  readonly paths: number;
  /** Whose work it was, where it was one session that went back; else null. */
  readonly session: SessionId | null;
  /** How many roots the workspace has. */
  readonly roots: number;
}

/** Events by name, with what each carries. */
export interface Events {
  readonly 'checkpoint:created': { readonly checkpoint: Checkpoint };
  /** One for each change that a checkpoint lists, in their order, when it is there. */
  readonly 'change:recorded': { readonly checkpoint: Checkpoint; readonly change: RecordedChange };
  /** One for each change that a roll-back took back; the checkpoint is that of the roll-back. */
  readonly 'change:rolled-back': { readonly checkpoint: Checkpoint; readonly change: ChangeId | HunkId };
  readonly 'restore:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  readonly 'edit:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  /** After `change:rolled-back` for each of its changes. */
  readonly 'rollback:completed': RollbackEvent;
  readonly 'undo:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  readonly 'redo:completed': { readonly checkpoint: Checkpoint; readonly paths: number };
  /** Calls of a session were told to end, because it goes back in its conversation. */
  readonly 'session:aborted': { readonly session: SessionId; readonly calls: readonly CallId[] };
  /** What a dead process left was settled. */
  readonly recovered: { readonly settled: readonly RecoveredTransaction[] };
  readonly progress: Progress;
  /** Another process holds the workspace. */
  readonly waiting: { readonly pid: number; readonly state: string };
  /** Something worth knowing that is no failure. */
  readonly warning: { readonly message: string };
}

export function rollbackEvent(checkpoint: Checkpoint, paths: number): RollbackEvent {
  return { checkpoint, paths, session: checkpoint.session, roots: checkpoint.roots.length };
}

/** Acts, by what is told when one is done. */
export type OperationEvent =
  | 'restore:completed'
  | 'edit:completed'
  | 'undo:completed'
  | 'redo:completed'
  | 'rollback:completed';

/** Called with each event of one name. What it throws goes up on its own and disturbs no call. */
export type Listener<Name extends keyof Events> = (event: Events[Name]) => void;

export class EventStream {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();

  /** @returns a function that ends the listening */
  on<Name extends keyof Events>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener as (event: never) => void);
    return () => listeners.delete(listener as (event: never) => void);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) this.#notify(listener as Listener<Name>, event);
  }

  /** What a new checkpoint tells: itself, then its changes. */
  emitCheckpoint(checkpoint: Checkpoint): void {
    this.emit('checkpoint:created', { checkpoint });
    for (const change of checkpoint.changes ?? []) this.emit('change:recorded', { checkpoint, change });
  }

  /** A listener's fault must not end up in the middle of a transaction: it goes up on its own. */
  #notify<Name extends keyof Events>(listener: Listener<Name>, event: Events[Name]): void {
    try {
      listener(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** What a watch of a timeline tells: the events that one checkpoint stands for, whatever process made it. */
export type WatchEvent =
  | { readonly event: 'checkpoint:created'; readonly checkpoint: Checkpoint }
  | { readonly event: 'change:recorded'; readonly checkpoint: Checkpoint; readonly change: RecordedChange }
  | { readonly event: 'change:rolled-back'; readonly checkpoint: Checkpoint; readonly change: string }
  | { readonly event: OperationEvent; readonly checkpoint: Checkpoint; readonly paths: number }
  | { readonly event: 'checkpoint:damaged'; readonly damaged: DamagedCheckpoint };

/** In the order in which an engine emits them. */
export function* eventsOf(checkpoint: Checkpoint): Generator<WatchEvent> {
  yield { event: 'checkpoint:created', checkpoint };
  for (const change of checkpoint.changes ?? []) yield { event: 'change:recorded', checkpoint, change };
  for (const change of checkpoint.rolledBack) yield { event: 'change:rolled-back', checkpoint, change };
  const { trigger } = checkpoint;
  if (isOperation(trigger))
    yield { event: `${trigger}:completed` as OperationEvent, checkpoint, paths: checkpoint.totals.files };
}
