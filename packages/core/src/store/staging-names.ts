/** Names of a transaction's staging folders, so that captures skip them and recovery finds them. */

import type { Ports } from '../io/ports.ts';
import type { TransactionId } from '../model/ids.ts';
import { type DiskPath, type Name, nameOf } from '../model/names.ts';

export const STAGE_PREFIX = '.savepoint-';

export function stageName(transaction: TransactionId): Name {
  return nameOf(`${STAGE_PREFIX}${transaction}`);
}

/**
 * Returns the names of the staging folders that may exist now, according to the intents and journals in
 * `journalFolder`. They are at the top of the workspace, or of a file system mounted in it.
 */
export function stagingFolders(ports: Ports, journalFolder: DiskPath): ReadonlySet<Name> {
  const names = new Set<Name>();
  for (const file of ports.fs.list(journalFolder)) {
    const transaction = /^([0-9a-f]{16})\.(?:intent|json)$/.exec(file)?.[1];
    if (transaction !== undefined) names.add(stageName(transaction as TransactionId));
  }
  return names;
}
