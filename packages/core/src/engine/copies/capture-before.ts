import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { capture } from '../../timeline/capture/capture.ts';
import { checkpointInfo } from '../../timeline/capture/compose.ts';
import type { Engine } from '../engine.ts';
import { servedCallInfo } from '../served-call.ts';
import type { WriteContext } from '../write-context.ts';

/** Captures the workspace before something else happens. @returns its state now, which may be the last checkpoint */
export async function captureBefore(
  engine: Engine,
  { workspace, lock, pace }: WriteContext,
  options: CallOptions,
): Promise<Checkpoint> {
  const info = { ...checkpointInfo('before', engine.actor), ...servedCallInfo(engine, workspace, options) };
  return (await capture(workspace, lock, pace, info, { always: false })).checkpoint;
}
