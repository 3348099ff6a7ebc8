/** Selects the objects of a bundle and writes its pack. */

import { createHash } from 'node:crypto';
import type { Pace } from '../../io/pace.ts';
import { EMPTY_TREE, type ObjectId, PURGED } from '../../model/ids.ts';
import { decodeCommit } from '../../store/objects/commit.ts';
import { STREAM_BYTES } from '../../store/objects/limits.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { encodeEntryHeader, encodePackHeader } from '../../store/objects/packs/pack-format.ts';
import { decodeTree } from '../../store/objects/tree.ts';
import { deflate, PieceDeflater } from '../../store/objects/zlib-data.ts';
import type { DerivedCommit } from './derived-chain.ts';

const FOLDER = 0o040000;

/**
 * Returns every object that the commits need, once: trees, contents, and the contents before each recorded change if
 * the store still has them. The order follows the chain, so equal chains produce equal packs.
 * @param base the commit that the recipient has; objects in its trees are omitted
 */
export async function objectsOf(
  objects: ObjectReader,
  links: readonly DerivedCommit[],
  base: ObjectId | null,
  pace: Pace,
): Promise<readonly ObjectId[]> {
  const seen = new Set<ObjectId>();
  if (base !== null) await collect(objects, base, seen, pace);
  const known = seen.size;
  for (const { commit, checkpoint } of links) {
    await collect(objects, commit, seen, pace);
    for (const { before } of checkpoint.changes ?? []) {
      if (before === null || before.kind === 'folder' || before.id === PURGED || seen.has(before.id)) continue;
      if (objects.has(before.id)) seen.add(before.id);
    }
  }
  return [...seen].slice(known);
}

/** Writes a pack. The same objects always produce the same bytes, however the store encodes them. */
export async function writePack(
  objects: ObjectReader,
  ids: readonly ObjectId[],
  write: (bytes: Uint8Array) => void,
  pace: Pace,
): Promise<void> {
  const hash = createHash('sha1');
  const put = (bytes: Uint8Array): void => {
    hash.update(bytes);
    write(bytes);
  };
  put(encodePackHeader(ids.length));
  for (const [index, id] of ids.entries()) {
    if (pace.isDue()) await pace.yieldNow({ phase: 'export', done: index, total: ids.length });
    const info = id === EMPTY_TREE ? null : objects.info(id);
    if (info !== null && info.type === 'blob' && info.size > STREAM_BYTES) {
      put(encodeEntryHeader('blob', info.size));
      const deflater = new PieceDeflater();
      // The hash is verified at the end. A mismatch throws, and no bundle file is created.
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

async function collect(objects: ObjectReader, commit: ObjectId, seen: Set<ObjectId>, pace: Pace): Promise<void> {
  if (seen.has(commit)) return;
  seen.add(commit);
  const open = [decodeCommit(objects.read(commit).data, commit).tree];
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    if (seen.has(tree)) continue;
    seen.add(tree);
    if (tree === EMPTY_TREE) continue;
    if (pace.isDue()) await pace.yieldNow();
    for (const { mode, id } of decodeTree(objects.read(tree).data, { id: tree })) {
      if (mode === FOLDER) open.push(id);
      else seen.add(id);
    }
  }
}
