/** Notices that the folder of all stores was deleted while a handle was open. */

import { showName } from '../content/show-name.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, nameToJson } from '../model/names.ts';

export class KnownHome {
  #existed = false;

  /**
   * A new folder in its place would hide that all checkpoints are gone.
   * @throws SavepointError STORE_DAMAGED if the folder existed before and does not now
   */
  check({ fs }: Ports, home: DiskPath): void {
    const exists = fs.lstat(home) !== null;
    if (!exists && this.#existed) {
      throw new SavepointError(
        'STORE_DAMAGED',
        `The folder of the stores, ${showName(home)}, no longer exists.`,
        { file: nameToJson(home) },
        { hint: 'Nothing was created in its place. Put it back, or open the workspace again to begin a new store.' },
      );
    }
    this.#existed = exists;
  }
}
