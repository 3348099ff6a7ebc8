/** Finds what the checks of a state are compared with. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { laterResults } from '../calls/test-results.ts';
import type { Engine } from '../engine.ts';

/**
 * Why a state is compared with:
 * - `given`: the caller named it
 * - `prompt`: the last prompt to an agent
 * - `tests-passed`: there are no prompts, and its tests are known to have passed
 * - `previous`: there is neither
 * - `fork`: the fork started from it
 */
export type BaseReason = 'given' | 'prompt' | 'tests-passed' | 'previous' | 'fork';

export interface FoundBase {
  readonly checkpoint: Checkpoint;
  readonly why: BaseReason;
}

/**
 * The given checkpoint, or the last one before the current turn: that of its prompt. Without prompts, the newest one whose
 * tests are known to have passed, or else the last one that was not taken on the way, for example by an earlier check of
 * the same work. Null: there is none.
 */
export function baseOf(
  engine: Engine,
  workspace: Workspace,
  state: Checkpoint,
  given: string | undefined,
): FoundBase | null {
  if (given !== undefined) return { checkpoint: engine.resolve(workspace, given), why: 'given' };
  const withResult = laterResults(engine, workspace);
  let passed: Checkpoint | null = null;
  let previous: Checkpoint | null = null;
  for (const checkpoint of workspace.timeline.upTo(state.number)) {
    if (checkpoint.trigger === 'prompt') return { checkpoint, why: 'prompt' };
    if (checkpoint.number >= state.number) continue;
    if (passed === null && withResult(checkpoint).testResult === 'pass') passed = checkpoint;
    if (checkpoint.trigger !== 'before') previous ??= checkpoint;
  }
  if (passed !== null) return { checkpoint: passed, why: 'tests-passed' };
  return previous === null ? null : { checkpoint: previous, why: 'previous' };
}
