import { isFsError } from '../../io/fs.ts';
import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import type { HeldProgram } from '../../io/programs.ts';
import { type DiskPath, diskChild, isInside } from '../../model/names.ts';
import { HOLD, mountSource, START, scriptArgument } from './script.ts';

/** An overlay to mount on top of a folder, seen only by processes that enter it. */
export interface OverlayRequest {
  /** Letters, digits and underscores. */
  readonly id: string;
  /** The folder. Resolved: no links on its way. */
  readonly root: DiskPath;
  /** A folder named `id` that exists. It gets `upper`, `work` and `home`, unless it has them already. */
  readonly place: DiskPath;
  /** Savepoint's home, which `place/home` covers. Null: nothing is covered. */
  readonly home: DiskPath | null;
  /** Folders to put between `root` and `upper`, topmost first; at most four. */
  readonly layers?: readonly DiskPath[];
}

/** A mounted overlay. */
export interface HeldOverlay {
  readonly holder: ProcessIdentity;
  readonly held: HeldProgram;
  /** Paths of the system that root could change from inside, because they could not be protected. */
  readonly unprotected: readonly string[];
}

const START_MS = 15_000;

/**
 * Mounts the overlay in a mount namespace of its own. A process that this one starts holds it, and ends with this one.
 * @throws SavepointError IO if that is not possible here
 */
export async function launchOverlay(ports: Ports, searchPath: string, request: OverlayRequest): Promise<HeldOverlay> {
  const { id, root, place, layers = [] } = request;
  for (const name of ['upper', 'work', 'home']) makeFolder(ports, diskChild(place, name));
  // A home inside the folder would be covered by the overlay, and one above it would cover the folder.
  const home = request.home !== null && !isInside(root, request.home) ? request.home : null;
  if (home !== null) makeInnerHome(ports, place, id);
  const paths = [root, place, home ?? '', ...layers].map(scriptArgument);
  const held = await ports.programs.hold(
    {
      file: '/bin/sh',
      args: ['-c', START, 'savepoint-copy', HOLD, mountSource(id), ...paths],
      cwd: '/' as DiskPath,
      env: { PATH: searchPath, LC_ALL: 'C' },
    },
    START_MS,
  );
  const unprotected = held.firstLine.split(' ').slice(1);
  return { holder: held.process, held, unprotected };
}

/** Where the home of the copy is mounted once more, so that its path inside is the one outside. */
function makeInnerHome(ports: Ports, place: DiskPath, id: string): void {
  let folder = diskChild(place, 'home');
  for (const name of ['copies', id, 'home']) {
    folder = diskChild(folder, name);
    makeFolder(ports, folder);
  }
}

function makeFolder({ fs }: Ports, path: DiskPath): void {
  try {
    fs.makeFolder(path, 0o700);
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
  }
}
