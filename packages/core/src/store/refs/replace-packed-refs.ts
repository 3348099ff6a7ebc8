import { durableWrite } from '../../io/durable-write.ts';
import type { Fs } from '../../io/fs.ts';
import type { ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { encodePackedRefs } from './packed-refs.ts';

/** Replaces a damaged `packed-refs`. Durable on return. The caller holds the store's lock. */
export function replacePackedRefs(fs: Fs, repository: DiskPath, ids: ReadonlyMap<string, ObjectId>): void {
  durableWrite(fs, diskChild(repository, 'packed-refs'), encodePackedRefs(ids), 0o600);
}
