/** Damage of a store's own files, apart from objects and refs. */

import type { SavepointError } from '../model/errors.ts';
import { type JsonName, nameFromJson } from '../model/names.ts';
import { isDamage } from '../store/objects/damage.ts';
import type { FoundRecord } from '../store/records.ts';
import { readFrozen } from '../store/state/frozen.ts';
import { readPlanPolicy } from '../store/state/plan-policy.ts';
import { readTrust } from '../store/state/trust.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Damage } from '../timeline/retention/verify.ts';
import { listUnfinished } from '../transaction/journal.ts';

/** Reads the workspace record, the frozen paths and the journals. */
export function findFileDamage({ ports, store }: Workspace, { record }: FoundRecord): readonly Damage[] {
  const damage: Damage[] = [];
  const add = (error: SavepointError): void => {
    const { file } = error.data as { readonly file?: JsonName };
    damage.push({
      object: null,
      file: file === undefined ? null : nameFromJson(file),
      problem: error.message,
      checkpoints: [],
    });
  };
  if (record.damage !== undefined) add(record.damage);
  for (const read of [
    () => readFrozen(ports, store.layout),
    () => readTrust(ports, store.layout),
    () => readPlanPolicy(ports, store.layout),
    () => listUnfinished(ports, store.layout.journal),
  ] as const) {
    try {
      read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      add(error);
    }
  }
  return damage;
}
