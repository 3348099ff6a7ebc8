/** Plan mode: what an agent's call would write is proposed instead, and the call does not run. */

import type { Actor } from '../model/checkpoint.ts';
import type { CallId, PlanId } from '../model/ids.ts';
import type { JsonName, TreePath } from '../model/names.ts';
import type { ReportedWrite } from '../model/reported-write.ts';

/** Edits of one call, all of which are proposed, or none. */
export interface HeldEditsRequest {
  readonly actor: Actor;
  readonly call: CallId;
  readonly tool: string;
  readonly writes: readonly (Pick<ReportedWrite, 'path' | 'result'> & { readonly given: JsonName })[];
}

/** What became of the edits of a call. */
export interface ProposedCall {
  readonly plan: PlanId;
  readonly revision: number;
  /** Number of files that the plan changes. */
  readonly files: number;
  /**
   * Other files of the plan that a person changed where the plan does, that the agent has not read of before. What the plan proposed
   * there stays as it was, until the file is written as a whole or a person decides when the plan is applied.
   */
  readonly conflicts: readonly TreePath[];
}

/**
 * What became of a call. It must not run.
 * - `recorded`: its edits are part of a plan
 * - `shell`, `tool`: it could write anywhere, so it cannot be proposed
 * - `unknown`: it does not say what it would write
 * - `outside`: it would write a path that is, or may be, outside the workspace
 */
export type HeldCall =
  | (ProposedCall & { readonly kind: 'recorded' })
  | { readonly kind: 'shell' | 'tool' | 'unknown' }
  | { readonly kind: 'outside'; readonly path: JsonName };
