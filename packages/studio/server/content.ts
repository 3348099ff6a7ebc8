/** The bytes of a file at a checkpoint, or a range of them. */
import { bytesFromText, type JsonName, nameToJson, type Savepoint } from '@savepoint/core';

export interface ContentRequest {
  /** A checkpoint, as the commands name them. */
  readonly at: string;
  readonly path: JsonName;
  /** The header `Range`. */
  readonly range: string | null;
  /** The header `If-Range`: the tag of the content that the range belongs to. */
  readonly ifRange: string | null;
}

export interface Content {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: AsyncIterable<Uint8Array> | null;
}

/** Read and sent at a time. */
const PART_BYTES = 1 << 20;

/** No browser may show or run it where it is: the page shows images from bytes. */
const HEADERS = {
  'Content-Type': 'application/octet-stream',
  'Content-Disposition': 'attachment',
  'Accept-Ranges': 'bytes',
} as const;

/** @throws SavepointError what `cat` throws */
export async function contentOf(savepoint: Savepoint, { at, path, range, ifRange }: ContentRequest): Promise<Content> {
  const found = await savepoint.cat(at, path, { length: 0 });
  const { size } = found;
  const tag = `"${found.entry.id}"`;
  const common = {
    ...HEADERS,
    ETag: tag,
    'X-Savepoint-Checkpoint': found.checkpoint.id,
    'X-Savepoint-Kind': found.entry.kind,
  };
  const wanted = ifRange !== null && ifRange !== tag ? 'all' : rangeOf(range, size);
  if (wanted === 'none')
    return { status: 416, headers: { ...common, 'Content-Range': `bytes */${size}` }, bytes: null };
  const [first, end] = wanted === 'all' ? [0, size] : wanted;
  const headers = {
    ...common,
    'Content-Length': String(end - first),
    ...(wanted === 'all' ? {} : { 'Content-Range': `bytes ${first}-${end - 1}/${size}` }),
  };
  // A name such as `last` may mean another checkpoint by now.
  const bytes = parts(savepoint, found.checkpoint.id, path, first, end);
  return { status: wanted === 'all' ? 200 : 206, headers, bytes };
}

/**
 * The path of a request: as text, or as bytes in base64url if it is not text.
 * @returns null if there is none, or both
 */
export function pathOf(text: string | undefined, encoded: string | undefined): JsonName | null {
  if ((text === undefined) === (encoded === undefined)) return null;
  if (text !== undefined) return nameToJson(bytesFromText(text));
  return /^[\w-]+$/.test(encoded ?? '') ? nameToJson(Buffer.from(encoded ?? '', 'base64url').toString('latin1')) : null;
}

/**
 * One range. Anything else that a client may ask for is answered with everything.
 * @returns the first byte, and the one after the last; `none` if it is beyond the end
 */
function rangeOf(header: string | null, size: number): readonly [number, number] | 'all' | 'none' {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return 'all';
  if (from === '') return Number(to) === 0 || size === 0 ? 'none' : [Math.max(0, size - Number(to)), size];
  if (to !== '' && Number(to) < Number(from)) return 'all';
  if (Number(from) >= size) return 'none';
  return [Number(from), to === '' ? size : Math.min(size, Number(to) + 1)];
}

async function* parts(
  savepoint: Savepoint,
  checkpoint: string,
  path: JsonName,
  first: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let offset = first; offset < end; offset += PART_BYTES) {
    const { bytes } = await savepoint.cat(checkpoint, path, { offset, length: Math.min(PART_BYTES, end - offset) });
    yield bytes;
  }
}
