import { createHash } from 'node:crypto';
import * as fs from 'node:fs';

/** What an independent walk finds at a path. It uses node's own calls and no code of the engine. */
export interface ManifestEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'special';
  /** Permission bits in octal; null for links. */
  readonly mode: string | null;
  /** Hash of a file's content, or of a link's target. */
  readonly sha256: string | null;
  /** Target of a link: text if it is valid UTF-8, otherwise `base64:…`. */
  readonly target: string | null;
}

/** Entries by path below the folder, in byte order. A path is text if it is valid UTF-8, otherwise `base64:…`. */
export type Manifest = Readonly<Record<string, ManifestEntry>>;

export interface ManifestOptions {
  /** Skips a path and everything below it. The path has the same form as in the manifest. */
  readonly skip?: (path: string) => boolean;
}

/** Lists everything below `folder`. Equal manifests mean equal trees, including every byte and every mode bit. */
export function manifest(folder: string, options: ManifestOptions = {}): Manifest {
  const found: Record<string, ManifestEntry> = {};
  walk(Buffer.from(folder), Buffer.alloc(0), (path, full, stat) => {
    const name = textOf(path);
    if (options.skip?.(name) === true) return false;
    found[name] = entryOf(full, stat);
    return stat.isDirectory();
  });
  return found;
}

/**
 * Returns one hash over everything in every `.git` below `folder`, with inodes and change times. Any write changes it,
 * even a write of the same bytes.
 */
export function gitFingerprint(folder: string): string {
  const hash = createHash('sha256');
  const add = (path: Buffer, full: Buffer, stat: fs.BigIntStats): void => {
    const { kind, mode, sha256 } = entryOf(full, stat);
    hash.update(`${path.toString('hex')} ${kind} ${mode} ${sha256} ${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}\n`);
  };
  walk(Buffer.from(folder), Buffer.alloc(0), (path, full, stat) => {
    if (!isDotGit(path)) return stat.isDirectory();
    add(path, full, stat);
    if (stat.isDirectory()) {
      walk(full, path, (inner, innerFull, innerStat) => {
        add(inner, innerFull, innerStat);
        return innerStat.isDirectory();
      });
    }
    return false;
  });
  return hash.digest('hex');
}

type Visit = (path: Buffer, full: Buffer, stat: fs.BigIntStats) => boolean;

const SLASH = Buffer.from('/');

function walk(folder: Buffer, below: Buffer, visit: Visit): void {
  for (const name of fs.readdirSync(folder, { encoding: 'buffer' }).sort(Buffer.compare)) {
    const full = Buffer.concat([folder, SLASH, name]);
    const path = below.length === 0 ? name : Buffer.concat([below, SLASH, name]);
    if (visit(path, full, fs.lstatSync(full, { bigint: true }))) walk(full, path, visit);
  }
}

function entryOf(full: Buffer, stat: fs.BigIntStats): ManifestEntry {
  const mode = (Number(stat.mode) & 0o7777).toString(8).padStart(4, '0');
  if (stat.isSymbolicLink()) {
    const target = fs.readlinkSync(full, { encoding: 'buffer' });
    return { kind: 'link', mode: null, sha256: sha256(target), target: textOf(target) };
  }
  if (stat.isDirectory()) return { kind: 'folder', mode, sha256: null, target: null };
  if (stat.isFile()) return { kind: 'file', mode, sha256: sha256(fs.readFileSync(full)), target: null };
  return { kind: 'special', mode, sha256: null, target: null };
}

function isDotGit(path: Buffer): boolean {
  return path.toString('latin1').split('/').at(-1) === '.git';
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : `base64:${bytes.toString('base64')}`;
}
