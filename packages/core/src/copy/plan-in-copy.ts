/**
 * The revision of a plan that the changes of a copy go on from. A revision that is made of the copy replaces all that the
 * plan proposes, so it must not replace what others made of the plan meanwhile.
 */

import type { Ports } from '../io/ports.ts';
import type { DiskPath } from '../model/names.ts';
import type { PlanInCopy } from './copy.ts';
import { readCopyAt, writeCopyRecord } from './records.ts';

/** The record decides: what a caller holds of the copy may be older. @param place the folder of the copy */
export function planInCopy(ports: Pick<Ports, 'fs'>, place: DiskPath): PlanInCopy | null {
  return readCopyAt(ports, place)?.plan ?? null;
}

/** The caller holds the lock of the workspace. @param place the folder of the copy */
export function notePlanInCopy(ports: Ports, place: DiskPath, { plan, revision }: PlanInCopy): void {
  const record = readCopyAt(ports, place);
  if (record === null) return;
  const isKnown = record.plan?.plan === plan && record.plan.revision === revision;
  if (!isKnown) writeCopyRecord(ports, { ...record, plan: { plan, revision } });
}
