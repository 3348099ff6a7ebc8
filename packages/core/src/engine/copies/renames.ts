import type { Renames } from '../../check/compare.ts';
import type { Pace } from '../../io/pace.ts';
import type { Snapshot } from '../../model/entries.ts';
import { textFromBytes } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { listChanges } from '../../timeline/diff/changes.ts';

/** The files that were renamed between two states. */
export async function renamesBetween(
  objects: ObjectReader,
  { base, proposed }: { readonly base: Snapshot; readonly proposed: Snapshot },
  pace: Pace,
): Promise<Renames> {
  const { changes } = await listChanges(objects, base, proposed, pace);
  return new Map(
    changes.flatMap(({ operation, from, path }): readonly (readonly [string, string])[] => {
      const [before, after] = [from === null ? null : textFromBytes(from), textFromBytes(path)];
      return operation !== 'rename' || before === null || after === null ? [] : [[before, after]];
    }),
  );
}
