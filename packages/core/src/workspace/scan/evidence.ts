/** What a piece of work looked at, so that later it can be told whether it would find the same. */

import type { Fs, Stat } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { DiskPath } from '../../model/names.ts';
import { isYoung } from './stat-cache.ts';

type Seen = Pick<Stat, 'dev' | 'ino' | 'mode' | 'size' | 'mtimeMs' | 'ctimeMs'> | null;

/** Calls that look at something, all with its path as their first argument. */
const LOOKS: ReadonlySet<PropertyKey> = new Set(['lstat', 'realpath', 'list', 'listWithStats', 'openRead', 'readLink']);
/** Calls on what one of those opened. */
const ON_HANDLES: ReadonlySet<PropertyKey> = new Set(['fstat', 'read', 'close']);

class Evidence {
  readonly #seen = new Map<DiskPath, Seen>();
  /** Something could not be looked at, or may change without a sign. */
  #isWeak = false;

  constructor(
    private readonly fs: Fs,
    /** Wall clock, milliseconds. */
    private readonly began: number,
  ) {}

  /** The same file system, for looking only; what is asked of it is noted. */
  recording(): Fs {
    return new Proxy(this.fs, {
      get: (fs, key) => {
        if (!LOOKS.has(key) && !ON_HANDLES.has(key)) throw new Error(`Not a way to look: ${String(key)}`);
        const call = Reflect.get(fs, key) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (LOOKS.has(key)) this.#note(args[0] as DiskPath);
          return call.apply(fs, args);
        };
      },
    });
  }

  /** All of it is as it was seen. */
  holds(): boolean {
    if (this.#isWeak) return false;
    for (const [path, seen] of this.#seen) {
      let now: Seen;
      try {
        now = this.fs.lstat(path);
      } catch {
        return false;
      }
      if (!isSame(seen, now)) return false;
    }
    return true;
  }

  /** Before the call: what comes between is then seen as a change. */
  #note(path: DiskPath): void {
    if (this.#isWeak || this.#seen.has(path)) return;
    try {
      const seen = this.fs.lstat(path);
      // A link leads to something that its own stat says nothing of.
      if (seen !== null && (isYoung(seen, this.began) || (seen.mode & 0o170000) === 0o120000)) this.#isWeak = true;
      this.#seen.set(path, seen);
    } catch {
      this.#isWeak = true;
    }
  }
}

/** Found by work that looked at nothing but the evidence. */
export interface Evident<Value> {
  readonly value: Value;
  readonly evidence: Evidence;
}

export function withEvidence<Value>(
  { fs, clock }: Pick<Ports, 'fs' | 'clock'>,
  find: (fs: Fs) => Value,
): Evident<Value> {
  const evidence = new Evidence(fs, clock.now());
  return { value: find(evidence.recording()), evidence };
}

function isSame(a: Seen, b: Seen): boolean {
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
