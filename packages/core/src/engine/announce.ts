/** Emits the events of a call, and starts what follows a new checkpoint. */

import type { Checkpoint } from '../model/checkpoint.ts';
import type { OperationResult } from '../operation/operation.ts';
import type { CaptureResult } from '../timeline/capture/capture.ts';
import type { ScanResult } from '../workspace/scan/scan.ts';
import type { Context } from './context.ts';
import type { Engine } from './engine.ts';
import { type OperationEvent, rollbackEvent } from './events.ts';
import { exportLater } from './export-schedule.ts';

export function announceCapture(engine: Engine, context: Context, { recorded, scan }: CaptureResult): void {
  emitWarnings(engine, scan);
  for (const checkpoint of recorded) announceCheckpoint(engine, context, checkpoint);
}

export function announceOperation(
  engine: Engine,
  context: Context,
  event: OperationEvent | null,
  { scan, before, beforeIsNew, checkpoint, plan }: OperationResult,
): void {
  emitWarnings(engine, scan);
  if (beforeIsNew && event !== null) announceCheckpoint(engine, context, before);
  if (checkpoint === null) return;
  announceCheckpoint(engine, context, checkpoint);
  if (event === null) return;
  for (const change of checkpoint.rolledBack) engine.events.emit('change:rolled-back', { checkpoint, change });
  const paths = plan.paths.length;
  if (event === 'rollback:completed') engine.events.emit(event, rollbackEvent(checkpoint, paths));
  else engine.events.emit(event, { checkpoint, paths });
}

function announceCheckpoint(engine: Engine, context: Context, checkpoint: Checkpoint): void {
  engine.events.emitCheckpoint(checkpoint);
  exportLater(engine, context);
}

function emitWarnings(engine: Engine, { problems }: ScanResult): void {
  for (const message of problems) engine.events.emit('warning', { message });
}
