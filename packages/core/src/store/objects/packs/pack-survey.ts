/** Measures how much of each pack is still wanted. */
import type { ObjectId } from '../../../model/ids.ts';
import { withSuffix } from '../../../model/names.ts';
import { isDamage } from '../damage.ts';
import type { ObjectFiles } from '../object-files.ts';
import type { PackFile } from './pack-file.ts';
import { PACK_TRAILER_BYTES } from './pack-format.ts';
import { stemOf } from './pack-names.ts';

export interface SurveyedPack {
  readonly pack: PackFile;
  /**
   * Bytes of the wanted objects that a lookup finds in this pack. Deltas count uncompressed, because they would be
   * written whole.
   */
  readonly kept: number;
  /** Bytes of the objects that are dead, or that a lookup finds in another pack. */
  readonly waste: number;
}

/** Surveys the packs that may be rewritten: git's `.keep` files are respected. */
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
      if (wanted) kept += writtenBytes(pack, place);
      else waste += storedBytes(pack, place);
    }
    surveyed.push({ pack, kept, waste });
  }
  return surveyed;
}

function storedBytes({ index, size }: PackFile, place: number): number {
  const offset = index.offsetAt(place);
  return Math.max(0, index.endOf(offset, size - PACK_TRAILER_BYTES) - offset);
}

/** Returns an upper limit for the size of an entry when it is rewritten. */
function writtenBytes(pack: PackFile, place: number): number {
  try {
    const { header, offset, end } = pack.entryAt(place);
    return header.kind === 'whole' ? end - offset : pack.info(place).size;
  } catch (error) {
    if (isDamage(error)) return 0;
    throw error;
  }
}
