/** How much of each pack is still wanted. */
import type { ObjectId } from '../../../model/ids.ts';
import { withSuffix } from '../../../model/names.ts';
import { isDamage } from '../damage.ts';
import type { ObjectFiles } from '../object-files.ts';
import type { PackFile } from './pack-file.ts';
import { stemOf } from './pack-names.ts';

export interface SurveyedPack {
  readonly pack: PackFile;
  /** Bytes of what is wanted and is nowhere else; for deltas, which would be written whole, as they are uncompressed. */
  readonly kept: number;
  /** Bytes of what is dead, or is in a larger pack as well. */
  readonly waste: number;
}

/** Those of the packs that may be rewritten: git's `.keep` files are honoured. */
export async function surveyPacks(
  files: ObjectFiles,
  packs: readonly PackFile[],
  isLive: (id: ObjectId) => boolean,
  step: () => Promise<void>,
): Promise<readonly SurveyedPack[]> {
  const surveyed: SurveyedPack[] = [];
  for (const pack of [...packs]) {
    if (files.fs.lstat(withSuffix(stemOf(pack.path), '.keep')) !== null) continue;
    let kept = 0;
    let waste = 0;
    for (let place = 0; place < pack.index.count; place++) {
      await step();
      const owner = files.packs.find(pack.index.keyAt(place));
      const wanted = owner?.pack === pack && owner.place === place && isLive(pack.index.idAt(place));
      const [stored, written] = bytesOf(pack, place);
      if (wanted) kept += written;
      else waste += stored;
    }
    surveyed.push({ pack, kept, waste });
  }
  return surveyed;
}

/** What an entry takes, and at most would take if it were written again. */
function bytesOf(pack: PackFile, place: number): readonly [stored: number, written: number] {
  try {
    const { header: head, offset, end } = pack.entryAt(place);
    return [end - offset, head.kind === 'whole' ? end - offset : pack.info(place).size];
  } catch (error) {
    if (isDamage(error)) return [0, 0];
    throw error;
  }
}
