/** The changes that a command made in a copy, and what can become of them. */
import type { Actor, JsonName, Savepoint, SavepointError } from '@savepoint/core';
import type { InputOf, operationToJson, VERBS } from '@savepoint/core/frontend';

type Calls = Pick<Savepoint, 'openCopy' | 'diffCopy'>;
export type Copy = Awaited<ReturnType<Calls['openCopy']>>;
export type CopyDifference = Awaited<ReturnType<Calls['diffCopy']>>;
type OperationJson = ReturnType<typeof operationToJson>;

/** The options of conflicts, as the verbs take them. */
export type ConflictInput = Pick<
  InputOf<typeof VERBS.undo>,
  'ours' | 'theirs' | 'resolutions' | 'skipConflicts' | 'force'
>;

export interface Proposal {
  readonly copy: Copy;
  /** What was done in the copy, in one line, for the checkpoint. */
  readonly description: string;
  /** Who worked in the copy. Absent: the caller. */
  readonly author?: { readonly actor: Actor; readonly session: string };
  /** Whether the command succeeded. */
  readonly isGood: boolean;
  /** Whether changes of the copy were applied before. */
  readonly hasApplied?: boolean;
}

export interface Finished {
  /** `unchanged`: nothing differed. `kept`: nothing was done. */
  readonly outcome: 'unchanged' | 'applied' | 'saved' | 'planned' | 'dropped' | 'kept';
  /** Whether the copy is still there. */
  readonly isKept: boolean;
  /** Null if it could not be found out. */
  readonly difference: CopyDifference | null;
  /** Command lines of programs that still ran in the copy and were ended, safe to print. */
  readonly ended: readonly string[];
  readonly operation: OperationJson | null;
  /** The patch that was written. */
  readonly file: JsonName | null;
  /** The id of the plan that was made. */
  readonly plan: string | null;
  /** Why what was asked for was not done. */
  readonly failure: SavepointError | null;
}
