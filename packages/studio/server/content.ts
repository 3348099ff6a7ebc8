/** The bytes of a file at a checkpoint, in a plan or in the folder now, or a range of them. */
import { bytesFromText, type JsonName, nameToJson, type Savepoint } from '@savepoint/core';

type PlanState = (typeof PLAN_STATES)[number];

export interface ContentRequest {
  readonly from: ContentSource;
  readonly path: JsonName;
  /** The header `Range`. */
  readonly range: string | null;
  /** The header `If-Range`: the tag of the content that the range belongs to. */
  readonly ifRange: string | null;
}

/** A checkpoint or a plan, as the commands name them; null: the folder as it is now. */
export type ContentSource = string | { readonly plan: string; readonly state?: PlanState } | null;

export interface Content {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: AsyncIterable<Uint8Array> | null;
}

const PLAN_STATES = ['proposed', 'selected', 'base'] as const;

/** Read and sent at a time. */
const PART_BYTES = 1 << 20;

/** No browser may show or run it where it is: the page shows images from bytes. */
const HEADERS = {
  'Content-Type': 'application/octet-stream',
  'Content-Disposition': 'attachment',
  'Accept-Ranges': 'bytes',
} as const;

/** @throws SavepointError what `cat` throws */
export async function contentOf(
  savepoint: Savepoint,
  { from, path, range, ifRange }: ContentRequest,
): Promise<Content> {
  // A checkpoint does not change between the parts. What a plan or the folder has is read once, and is bounded.
  const found = await savepoint.cat(from, path, typeof from === 'string' ? { length: 0 } : {});
  const { size, checkpoint, plan } = found;
  const tag = `"${found.entry.id}"`;
  const common = {
    ...HEADERS,
    ETag: tag,
    ...(checkpoint === null ? {} : { 'X-Savepoint-Checkpoint': checkpoint.id }),
    ...(plan === null ? {} : { 'X-Savepoint-Plan': plan.id, 'X-Savepoint-State': plan.state }),
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
  const read = async (offset: number, length: number): Promise<Buffer> =>
    checkpoint === null
      ? found.bytes.subarray(offset, offset + length)
      : (await savepoint.cat(checkpoint.id, path, { offset, length })).bytes;
  return { status: wanted === 'all' ? 200 : 206, headers, bytes: parts(read, first, end) };
}

/**
 * What a request asks for: `at`, `plan` with or without `state`, or `folder=now`.
 * @returns undefined unless it is exactly one of them
 */
export function sourceOf(query: Readonly<Record<string, string>>): ContentSource | undefined {
  const { at, plan, state: wanted, folder } = query;
  if ([at, plan, folder].filter((one) => one !== undefined).length !== 1) return undefined;
  if (plan === undefined && wanted !== undefined) return undefined;
  if (at !== undefined) return at;
  if (folder !== undefined) return folder === 'now' ? null : undefined;
  if (plan === undefined || wanted === undefined) return plan === undefined ? undefined : { plan };
  const state = PLAN_STATES.find((one) => one === wanted);
  return state === undefined ? undefined : { plan, state };
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
  read: (offset: number, length: number) => Promise<Buffer>,
  first: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let offset = first; offset < end; offset += PART_BYTES)
    yield await read(offset, Math.min(PART_BYTES, end - offset));
}
