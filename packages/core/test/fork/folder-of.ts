import type { Savepoint } from '@savepoint/core';

/** The files of a fork. */
export async function folderOf(savepoint: Savepoint, name: string): Promise<string> {
  return Buffer.from((await savepoint.openFork(name)).folder, 'latin1').toString();
}
