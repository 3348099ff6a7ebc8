/** Copies objects from a pack or a loose file into a new pack, verifying them on the way. */
import type { ObjectId } from '../../../model/ids.ts';
import { damaged } from '../damage.ts';
import { ENTRY_BYTES, STREAM_BYTES } from '../limits.ts';
import type { ObjectSource } from '../pieces.ts';
import type { PackFile } from './pack-file.ts';
import type { PackWriter } from './pack-writer.ts';

/** Called between pieces: lets other work run. */
export type YieldCallback = () => Promise<void>;

/**
 * Copies the compressed bytes unchanged. If the entry is a delta, the whole object is written instead.
 * @throws SavepointError STORE_DAMAGED; then nothing was added
 */
export async function copyEntry(pack: PackFile, place: number, writer: PackWriter, step: YieldCallback): Promise<void> {
  const id = pack.index.idAt(place);
  const { header, offset, end } = pack.entryAt(place);
  if (header.kind !== 'whole') {
    const { type, data } = pack.read(place);
    writer.add(id, type, data);
    return;
  }
  const { type, size } = header;
  if (size <= STREAM_BYTES && end - offset <= ENTRY_BYTES) {
    writer.addCompressed(id, type, size, pack.verifiedBytes(place));
    return;
  }
  const source = pack.pieces(place);
  try {
    while (source.next() !== null) await step();
  } finally {
    source.close();
  }
  if (end - offset <= ENTRY_BYTES) writer.addCompressed(id, type, size, pack.compressedBytes(place));
  else writer.addEntry(id, pack.filePieces(place));
}

/**
 * Compresses an object again, and closes its source.
 * @throws SavepointError STORE_DAMAGED; then nothing was added
 */
export function copySource(id: ObjectId, source: ObjectSource, writer: PackWriter): void {
  try {
    if (source.size <= STREAM_BYTES) {
      writer.add(id, source.type, Buffer.concat([...piecesOf(source)]));
      return;
    }
    const pieces = piecesOf(source);
    let rest: Buffer = Buffer.alloc(0);
    const read = (into: Buffer): number => {
      if (rest.length === 0) rest = pieces.next().value ?? rest;
      const length = rest.copy(into);
      rest = rest.subarray(length);
      return length;
    };
    if (writer.addStream(source.type, source.size, read, (found) => found === id) !== id) {
      throw damaged('does not match its id', { object: id });
    }
  } finally {
    source.close();
  }
}

function* piecesOf(source: ObjectSource): Generator<Buffer, undefined> {
  for (let piece = source.next(); piece !== null; piece = source.next()) yield piece;
}
