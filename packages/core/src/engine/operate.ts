/** Previews and runs operations, with their actor, events and clean-up. */

import type { CallOptions } from '../model/call-options.ts';
import { SavepointError } from '../model/errors.ts';
import {
  type Operation,
  type OperationResult,
  type Preview,
  previewOperation,
  runOperation,
} from '../operation/operation.ts';
import { isPlannedAt } from '../store/state/plan-mode.ts';
import { recordOperationElsewhere } from '../timeline/capture/active-calls.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { announceOperation } from './announce.ts';
import { type ConflictOptions, detailRequestIn } from './conflict-options.ts';
import type { Engine } from './engine.ts';
import type { OperationEvent } from './events.ts';
import { tidyAfter } from './maintenance.ts';
import { servedCallInfo } from './served-call.ts';
import { assertForcedByPerson } from './shell-call.ts';
import type { WriteOperationContext } from './write-context.ts';

export interface OperationOptions extends CallOptions {
  /** Fingerprint of the approved preview. If the changes differ from it, the operation is a conflict. */
  readonly expected?: string;
}

/** Returns what the operation would do. Changes nothing and does not wait for the lock. */
export function preview(
  engine: Engine,
  workspace: Workspace,
  operation: Operation,
  options: CallOptions & Pick<ConflictOptions, 'detail'>,
): Promise<Preview> {
  const asked = withCallOptions(engine, operation, workspace, options);
  return previewOperation(workspace, asked, engine.pace(options), detailRequestIn(workspace, options));
}

/** Runs an operation, announces it, then tidies the store. */
export async function runAndAnnounce(
  engine: Engine,
  operating: WriteOperationContext,
  event: OperationEvent,
  operation: Operation,
  options: OperationOptions,
): Promise<OperationResult> {
  assertNotPlanned(engine, operating.workspace, operation, options);
  const asked = withCallOptions(engine, operation, operating.workspace, options);
  const result = await runOperation(operating, asked, options.expected ?? null);
  if (result.checkpoint !== null) recordOperationElsewhere(operating.workspace, result.checkpoint);
  announceOperation(engine, operating.context, event, result);
  await tidyAfter(engine, operating);
  return result;
}

/** In plan mode, an agent changes files only as a person approved it. @throws SavepointError NEEDS_CONFIRMATION, STORE_DAMAGED */
function assertNotPlanned(
  engine: Engine,
  workspace: Workspace,
  { info: { trigger }, isApproved }: Operation,
  options: OperationOptions,
): void {
  if (isApproved === true) return;
  const { actor = engine.actor, session = null } = servedCallInfo(engine, workspace, options);
  if (actor.kind !== 'agent') return;
  if (!isPlannedAt(workspace, session)) return;
  throw new SavepointError(
    'NEEDS_CONFIRMATION',
    `Plan mode is on, so ${actor.name} can only propose changes. This would change files (${trigger}).`,
    { verb: trigger },
    { hint: 'Nothing was changed. Propose the changes as a plan: `plan_propose`, or your own edit tools.' },
  );
}

function withCallOptions(engine: Engine, operation: Operation, workspace: Workspace, options: CallOptions): Operation {
  const { info } = operation;
  // `force` of an edit is about files that are write-protected, and agents may set it.
  if (options.force === true && info.trigger !== 'edit') {
    assertForcedByPerson(engine, workspace, info.trigger);
  }
  const asked = { ...info, ...servedCallInfo(engine, workspace, options) };
  return {
    ...operation,
    info: asked,
    mayChangeFrozen: options.force === true && asked.actor.kind === 'user',
  };
}
