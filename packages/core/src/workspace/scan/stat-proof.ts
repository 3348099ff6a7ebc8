/** Records which paths a computation read, to decide later whether its result is still current. */

import type { Fs, Stat } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { DiskPath } from '../../model/names.ts';
import { isYoung } from './stat-cache.ts';

type SeenStat = Pick<Stat, 'dev' | 'ino' | 'mode' | 'size' | 'mtimeMs' | 'ctimeMs'> | null;

/** Calls that read a path, which is always the first argument. */
const READ_CALLS: ReadonlySet<PropertyKey> = new Set([
  'lstat',
  'realpath',
  'list',
  'listWithStats',
  'openRead',
  'readLink',
]);
/** Calls on a handle that one of those opened. */
const HANDLE_CALLS: ReadonlySet<PropertyKey> = new Set(['fstat', 'read', 'close']);

class StatProof {
  readonly #stats = new Map<DiskPath, SeenStat>();
  /** A path could not be read, or could change undetected. */
  #isWeak = false;

  constructor(
    private readonly fs: Fs,
    /** Wall clock, milliseconds. */
    private readonly began: number,
  ) {}

  /** Returns a read-only view of the file system that records every path it reads. */
  recordingFs(): Fs {
    return new Proxy(this.fs, {
      get: (fs, key) => {
        if (!READ_CALLS.has(key) && !HANDLE_CALLS.has(key)) throw new Error(`Not a way to look: ${String(key)}`);
        const call = Reflect.get(fs, key) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (READ_CALLS.has(key)) this.#note(args[0] as DiskPath);
          return call.apply(fs, args);
        };
      },
    });
  }

  /** Whether all recorded paths are unchanged. */
  isCurrent(): boolean {
    if (this.#isWeak) return false;
    for (const [path, seen] of this.#stats) {
      let now: SeenStat;
      try {
        now = this.fs.lstat(path);
      } catch {
        return false;
      }
      if (!isSame(seen, now)) return false;
    }
    return true;
  }

  /** Called before the read, so that a change in between is detected later. */
  #note(path: DiskPath): void {
    if (this.#isWeak || this.#stats.has(path)) return;
    try {
      const seen = this.fs.lstat(path);
      // The stat of a link says nothing about its target.
      if (seen !== null && (isYoung(seen, this.began) || (seen.mode & 0o170000) === 0o120000)) this.#isWeak = true;
      this.#stats.set(path, seen);
    } catch {
      this.#isWeak = true;
    }
  }
}

/** A result that depends only on what its proof records. */
export interface Memo<Value> {
  readonly value: Value;
  readonly proof: StatProof;
}

export function provenMemo<Value>({ fs, clock }: Pick<Ports, 'fs' | 'clock'>, find: (fs: Fs) => Value): Memo<Value> {
  const proof = new StatProof(fs, clock.now());
  return { value: find(proof.recordingFs()), proof };
}

function isSame(a: SeenStat, b: SeenStat): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.dev === b.dev &&
    a.ino === b.ino &&
    a.mode === b.mode &&
    a.size === b.size &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs
  );
}
