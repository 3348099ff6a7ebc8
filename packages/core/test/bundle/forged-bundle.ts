import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import zlib from 'node:zlib';

/** Malformed bundles, built byte by byte without any code of Savepoint. */

export type Type = 'commit' | 'tree' | 'blob' | 'tag';

export interface Entry {
  readonly mode: string;
  readonly name: string | Buffer;
  readonly id: string;
}

const CODES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export function idOf(type: Type, data: Buffer): string {
  return createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex');
}

/** Builds a tree object with exactly these entries in this order, valid or not. */
export function treeOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat(
    entries.map(({ mode, name, id }) =>
      Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.of(0), Buffer.from(id, 'hex')]),
    ),
  );
}

function head(code: number, size: number): Buffer {
  const bytes = [(code << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}

function sizeOf(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** A delta that copies its whole base and appends a few bytes. */
export function longer(base: Buffer, added: Buffer, claimed = base.length + added.length): Buffer {
  const copy = Buffer.of(0x80 | 0x10 | 0x20, base.length & 0xff, base.length >> 8);
  return Buffer.concat([sizeOf(base.length), sizeOf(claimed), copy, Buffer.of(added.length), added]);
}

export class Pack {
  readonly #entries: Buffer[] = [];
  #length = 12;

  /** @returns the offset at which it starts */
  raw(bytes: Buffer): number {
    const at = this.#length;
    this.#entries.push(bytes);
    this.#length += bytes.length;
    return at;
  }

  add(type: Type, data: Buffer): string {
    this.raw(Buffer.concat([head(CODES[type], data.length), zlib.deflateSync(data)]));
    return idOf(type, data);
  }

  /** Adds an object whose header and stream need not match. */
  stream(type: Type, size: number, compressed: Buffer): number {
    return this.raw(Buffer.concat([head(CODES[type], size), compressed]));
  }

  /** @param distance back to the base's entry */
  offsetDelta(distance: number, delta: Buffer): number {
    const bytes = [distance % 128];
    for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128))
      bytes.unshift((--rest % 128) | 0x80);
    return this.raw(Buffer.concat([head(6, delta.length), Buffer.from(bytes), zlib.deflateSync(delta)]));
  }

  keyDelta(base: string, delta: Buffer): number {
    return this.raw(Buffer.concat([head(7, delta.length), Buffer.from(base, 'hex'), zlib.deflateSync(delta)]));
  }

  get length(): number {
    return this.#length;
  }

  bytes(count = this.#entries.length): Buffer {
    const start = Buffer.alloc(12);
    start.write('PACK');
    start.writeUInt32BE(2, 4);
    start.writeUInt32BE(count, 8);
    return signed(Buffer.concat([start, ...this.#entries]));
  }
}

export function signed(body: Buffer): Buffer {
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Builds a zlib stream of this many MiB of zeros, without compressing them all. */
export function zeros(mebibytes: number): Buffer {
  const piece = zlib.deflateRawSync(Buffer.alloc(1 << 20), { level: 9, finishFlush: zlib.constants.Z_FULL_FLUSH });
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((((mebibytes * (1 << 20)) % 65521) * 65536 + 1) >>> 0);
  return Buffer.concat([
    Buffer.of(0x78, 0x01),
    ...Array.from({ length: mebibytes }, () => piece),
    zlib.deflateRawSync(Buffer.alloc(0)),
    sum,
  ]);
}

/** The parts of a valid bundle of one checkpoint, to be reassembled with one of them changed. */
export interface Parts {
  readonly header: Buffer;
  readonly pack: Buffer;
}

export function partsOf(file: string): Parts {
  const bytes = readFileSync(file);
  const cut = bytes.indexOf('\n\n') + 2;
  return { header: bytes.subarray(0, cut), pack: bytes.subarray(cut) };
}

export function writeBundle(file: string, tip: string, pack: Buffer, before = ''): string {
  writeFileSync(file, Buffer.concat([Buffer.from(`# v2 git bundle\n${before}${tip} refs/heads/timeline\n\n`), pack]));
  return file;
}

const WHO = 'user <user@savepoint.invalid> 1700000000 +0000';

/** A checkpoint record like that of the first checkpoint of a small project. */
export function forgedRecord(changed: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    format: 1,
    id: 'cp_1',
    workspace: '0123456789abcdef0123456789abcdef',
    previous: null,
    time: '2026-01-31T12:00:00.000Z',
    trigger: 'manual',
    actor: { kind: 'user', name: 'user' },
    description: 'forged',
    session: null,
    conversation: null,
    testResult: null,
    target: null,
    undoes: null,
    toolCall: null,
    roots: [{ path: '', kind: 'folder', branch: null, commit: null, operation: null }],
    rules: { maxFileBytes: 1, maxIgnoredBytes: 1 },
    counts: { files: 1, links: 0, folders: 0, bytes: 1, skipped: 0 },
    partial: [],
    unsettled: [],
    changes: null,
    totals: { files: 0, added: 0, removed: 0 },
    ...changed,
  };
}

export interface Forged {
  readonly files: string;
  readonly side?: string;
  readonly record?: unknown;
  readonly parents?: readonly string[];
  /** Replaces the checkpoint's own tree. */
  readonly top?: readonly Entry[];
}

/** Adds the objects of one checkpoint other than its trees. @returns the commit */
export function forge(pack: Pack, { files, side, record = forgedRecord(), parents = [], top }: Forged): string {
  const text = Buffer.isBuffer(record) ? record : Buffer.from(JSON.stringify(record));
  const blob = pack.add('blob', text);
  const tree = pack.add(
    'tree',
    treeOf(
      top ?? [
        { mode: '100644', name: 'checkpoint.json', id: blob },
        { mode: '40000', name: 'files', id: files },
        ...(side === undefined ? [] : [{ mode: '40000', name: 'side', id: side }]),
      ],
    ),
  );
  const lines = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${WHO}`, `committer ${WHO}`];
  return pack.add('commit', Buffer.from(`${lines.join('\n')}\n\ncp_1: forged\n`));
}
