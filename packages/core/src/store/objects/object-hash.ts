/** Object ids: SHA-1 over `<type> <size>\0` and the bytes. */
import { createHash, type Hash, hash } from 'node:crypto';
import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { ObjectType } from './object-reader.ts';

/** Length of a binary id. */
export const KEY_BYTES = 20;

/**
 * Up to this size, one call on joined bytes is several times faster than a hash object. Above it, the copy costs too
 * much.
 */
const JOINED_BYTES = 64 * 1024;
const HEADER_BYTES = 32;
const joined = Buffer.allocUnsafeSlow(HEADER_BYTES + JOINED_BYTES);

export function hashObject(type: ObjectType, data: Uint8Array): ObjectId {
  if (data.length > JOINED_BYTES) return idFrom(startObjectHash(type, data.length).update(data));
  const header = joined.write(`${type} ${data.length}\0`, 0, 'latin1');
  joined.set(data, header);
  return hash('sha1', joined.subarray(0, header + data.length)) as ObjectId;
}

/** Returns a hash that has seen an object's header. After `size` bytes were added, its hex digest is the id. */
export function startObjectHash(type: ObjectType, size: number): Hash {
  return createHash('sha1').update(`${type} ${size}\0`, 'latin1');
}

/** Returns the id of an object whose header and bytes the hash has seen. */
export function idFrom(hash: Hash): ObjectId {
  return hash.digest('hex') as ObjectId;
}

export function sha1(bytes: Uint8Array): Buffer {
  return hash('sha1', bytes, 'buffer');
}

/** Writes the binary form of `id` into the first 20 bytes of `key`. */
export function writeKey(key: Buffer, id: ObjectId): Buffer {
  if (id.length !== 2 * KEY_BYTES || key.write(id, 0, KEY_BYTES, 'hex') !== KEY_BYTES) {
    throw new SavepointError('INTERNAL', `Not an object id: ${JSON.stringify(id)}`, { message: 'bad object id' });
  }
  return key;
}

export function keyOf(id: ObjectId): Buffer {
  return writeKey(Buffer.allocUnsafe(KEY_BYTES), id);
}

export function idAt(bytes: Buffer, at: number): ObjectId {
  return bytes.toString('hex', at, at + KEY_BYTES) as ObjectId;
}
