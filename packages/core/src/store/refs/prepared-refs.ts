/** Files of refs that are about to be created. They become durable together with the objects that the refs lead to. */
import type { Fd, Fs } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { discardPrepared, type PreparedRef, prepareLooseRef } from './loose-refs.ts';
import type { Ref } from './ref-listing.ts';
import { assertRefName, assertTarget } from './ref-name.ts';

export class PreparedRefs {
  readonly #refs = new Map<string, PreparedRef>();

  private constructor(private readonly fs: Fs) {}

  /** Writes the files. @param folder the bare repository */
  static of({ fs, random }: Pick<Ports, 'fs' | 'random'>, folder: DiskPath, refs: readonly Ref[]): PreparedRefs {
    const prepared = new PreparedRefs(fs);
    try {
      for (const { name, id } of refs) {
        assertRefName(name);
        assertTarget(id);
        prepared.#refs.set(name, prepareLooseRef(fs, random, diskChild(folder, name), folder, id));
      }
    } catch (error) {
      prepared.discard();
      throw error;
    }
    return prepared;
  }

  /** To be synced before any of the refs is created. */
  get files(): readonly Fd[] {
    return [...this.#refs.values()].map(({ file }) => file);
  }

  /** Hands the file of a ref over to the caller. */
  take(name: string): PreparedRef | null {
    const ref = this.#refs.get(name) ?? null;
    this.#refs.delete(name);
    return ref;
  }

  /** Removes the files that were not taken. */
  discard(): void {
    for (const ref of this.#refs.values()) discardPrepared(this.fs, ref);
    this.#refs.clear();
  }
}
