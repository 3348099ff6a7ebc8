/** Writes a pack without deltas, for git or for another machine. */

import { createHash } from 'node:crypto';
import type { Pace, Progress } from '../../../io/pace.ts';
import { EMPTY_TREE, type ObjectId } from '../../../model/ids.ts';
import { STREAM_BYTES } from '../limits.ts';
import type { ObjectReader } from '../object-reader.ts';
import { deflate, PieceDeflater } from '../zlib-data.ts';
import { encodeEntryHeader, encodePackHeader } from './pack-format.ts';

/** Writes a pack. The same objects always produce the same bytes, however the store encodes them. */
export async function writePack(
  objects: ObjectReader,
  ids: readonly ObjectId[],
  write: (bytes: Uint8Array) => void,
  pace: Pace,
  phase: Progress['phase'],
): Promise<void> {
  const hash = createHash('sha1');
  const put = (bytes: Uint8Array): void => {
    hash.update(bytes);
    write(bytes);
  };
  put(encodePackHeader(ids.length));
  for (const [index, id] of ids.entries()) {
    if (pace.isDue()) await pace.yieldNow({ phase, done: index, total: ids.length });
    const info = id === EMPTY_TREE ? null : objects.info(id);
    if (info !== null && info.type === 'blob' && info.size > STREAM_BYTES) {
      put(encodeEntryHeader('blob', info.size));
      const deflater = new PieceDeflater();
      // The hash is verified at the end. A mismatch throws, and the caller discards the pack.
      await objects.copyBlob(id, (piece) => put(deflater.add(piece)));
      put(deflater.finish());
      continue;
    }
    const { type, data } = id === EMPTY_TREE ? { type: 'tree' as const, data: Buffer.alloc(0) } : objects.read(id);
    put(encodeEntryHeader(type, data.length));
    put(deflate(data));
  }
  write(hash.digest());
}
