/** A source of bytes: fills `into` from `position` on and returns the number of bytes, 0 at the end. */
export type ReadAt = (into: Buffer, position: number) => number;

/** Reads until `into` is full or the source ends. Returns the number of bytes read. */
export function readUpTo(read: ReadAt, into: Buffer, position: number): number {
  let done = 0;
  while (done < into.length) {
    const got = read(into.subarray(done), position + done);
    if (got === 0) break;
    done += got;
  }
  return done;
}

export function readFrom(data: Uint8Array): ReadAt {
  return (into, position) => {
    const bytes = data.subarray(position, position + into.length);
    into.set(bytes);
    return bytes.length;
  };
}
