/** What a listing of refs returns, with the damage that it found. */

import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';

export interface Ref {
  /** `refs/…`, one character per byte. */
  readonly name: string;
  readonly id: ObjectId;
}

export interface RefListing {
  /** Sorted by name. */
  readonly refs: readonly Ref[];
  /** Ref files that cannot be parsed, and folders in their place. */
  readonly damaged: readonly DamagedRef[];
  /** Damage of `packed-refs`, which may hide any ref; null if it is intact. */
  readonly packed: DamagedRef | null;
}

export interface DamagedRef {
  readonly name: string;
  readonly file: DiskPath;
  readonly problem: string;
}

/** Inserts a ref, keeping the list sorted by name. */
export function withRef(refs: readonly Ref[], ref: Ref): readonly Ref[] {
  const at = refs.findIndex(({ name }) => name > ref.name);
  return at < 0 ? [...refs, ref] : [...refs.slice(0, at), ref, ...refs.slice(at)];
}
