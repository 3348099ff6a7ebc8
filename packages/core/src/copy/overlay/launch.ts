import { createHash } from 'node:crypto';
import { readEntireFile } from '../../io/durable-write.ts';
import { isFsError, permissions } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import type { HeldProgram, ProgramRun } from '../../io/programs.ts';
import { type DiskPath, diskChild, isInside } from '../../model/names.ts';
import type { CopyAccess } from '../copy.ts';
import type { OuterRepository } from './outer-repositories.ts';
import { DETACH, HOLD, lookSource, mountSource, START, scriptArgument } from './script.ts';
import { secondPlaces } from './second-places.ts';
import { whyNotLaunched } from './why-not.ts';

/** An overlay to mount on top of a folder, visible only to processes that enter it. */
export interface OverlayRequest {
  /** Letters, digits and underscores. */
  readonly id: string;
  /** The folder. Resolved: there are no links on its way. */
  readonly root: DiskPath;
  /** A folder that exists, named `id`. It gets `upper`, `work`, `home` and `git`, unless it has them. */
  readonly place: DiskPath;
  /** Savepoint's home, which `place/home` covers. Null: nothing is covered. */
  readonly home: DiskPath | null;
  /** Folders to put over `root`, below what is written, topmost first; at most four. */
  readonly layers?: readonly DiskPath[];
  /** Repositories outside of the folder, which are covered too. */
  readonly repositories?: readonly OuterRepository[];
  /** What commands may do. With `list`, they see only `layers`. Null or absent: everything. */
  readonly access?: CopyAccess | null;
  /**
   * Only `layers` are below what is written, and not the root itself. With `look`, nothing runs in it, and it can be mounted
   * as often as needed. Default: the root is below.
   */
  readonly alone?: 'work' | 'look';
}

/** A mounted overlay, and the process that keeps it mounted. */
export interface HeldOverlay {
  readonly held: HeldProgram;
  /** What root could change from inside, because it could not be protected: folders and devices of the system. */
  readonly unprotected: readonly string[];
}

/** The whole folder is looked through for files of other users, which takes longest on a cold disk. */
const START_MS = 60_000;
const MAX_ERRORS = 64 * 1024;

/**
 * Mounts the overlay in a mount namespace of its own. A process that this one starts holds it, and ends with this one.
 * @returns `why` if that is not possible here
 */
export async function launchOverlay(
  ports: Ports,
  searchPath: string,
  request: OverlayRequest,
): Promise<HeldOverlay | { readonly why: string }> {
  const program = prepare(ports, searchPath, request, null);
  const held = await ports.programs.hold(program, START_MS);
  if (!held.held) return { why: whyNotLaunched(ports, held.errors) };
  return { held, unprotected: held.firstLine.split(' ').slice(1) };
}

/**
 * The same, and the mount survives this process: until no process has a shared lock on the file `held`.
 * @returns its holder
 */
export async function keepOverlay(
  ports: Ports,
  searchPath: string,
  request: OverlayRequest,
  held: DiskPath,
): Promise<ProcessIdentity | { readonly why: string }> {
  const { place } = request;
  const program = prepare(ports, searchPath, request, held);
  const [command, start, ...args] = program.args;
  if (command === undefined || start === undefined) throw new Error('a script has its arguments');
  const detached = { ...program, args: [command, DETACH, 'savepoint-copy', start, ...args.slice(1)], cwd: place };
  const { stdout } = await ports.programs.run({ ...detached, timeoutMs: START_MS });
  const [pid = '', ready] = stdout.toString('latin1').split('\n');
  const [holder] = ready?.startsWith('ready') === true ? ports.processes.ancestors(Number(pid)) : [];
  const errors = diskChild(place, 'holder-errors');
  const why =
    holder === undefined ? whyNotLaunched(ports, readEntireFile(ports.fs, errors, MAX_ERRORS).toString()) : '';
  removeIfExists(ports.fs, errors);
  return holder ?? { why };
}

export function sourceOf({ id, alone }: Pick<OverlayRequest, 'id' | 'alone'>): string {
  return alone === 'look' ? lookSource(id) : mountSource(id);
}

function prepare(
  ports: Ports,
  searchPath: string,
  request: OverlayRequest,
  held: DiskPath | null,
): Pick<ProgramRun, 'file' | 'args' | 'cwd' | 'env'> {
  const { id, root, place, layers = [], repositories = [], access = null, alone } = request;
  makeUpper(ports, place, root);
  makeFolder(ports, diskChild(place, 'home'));
  // To cover a home above the folder would cover the folder.
  const home = request.home !== null && !isInside(root, request.home) ? request.home : null;
  if (home !== null) makeInnerHome(ports, place, id);
  const paths = [root, place, home ?? ''].map(scriptArgument);
  const mode = alone === 'look' ? 'look' : alone === 'work' ? 'alone' : (access ?? 'edit');
  const covered = repositories.map((one) => coverRepository(ports, place, one, access)).join(' ');
  // Nothing runs in one that only shows what the copy contains.
  const hidden = [root, ...repositories.map(({ path }) => path), ...(home === null ? [] : [home])];
  const seconds = alone === 'look' ? [] : secondPlaces(ports.fs, hidden);
  const places = seconds.map((one) => `${scriptArgument(one.covered)}:${scriptArgument(one.place)}`).join(' ');
  const given = [...paths, mode, covered, places, scriptArgument(held ?? ''), ...layers.map(scriptArgument)];
  return {
    file: '/bin/sh',
    args: ['-c', START, 'savepoint-copy', HOLD, sourceOf(request), ...given],
    cwd: '/' as DiskPath,
    env: { PATH: searchPath, LC_ALL: 'C' },
  };
}

/** `upper` gets the permissions of the folder that it covers, which the folder then has in the overlay. */
function makeUpper(ports: Ports, place: DiskPath, covered: DiskPath): void {
  const upper = diskChild(place, 'upper');
  const isNew = ports.fs.lstat(upper) === null;
  for (const folder of [upper, diskChild(place, 'work')]) makeFolder(ports, folder);
  const stat = ports.fs.lstat(covered);
  if (stat !== null && isNew) ports.fs.chmod(upper, permissions(stat));
}

/** @returns the argument of the script */
function coverRepository(
  ports: Ports,
  place: DiskPath,
  { path, access }: OuterRepository,
  ofCopy: CopyAccess | null,
): string {
  // The same name when the copy is opened again.
  const name = createHash('sha256').update(path, 'latin1').digest('hex').slice(0, 16);
  const all = diskChild(place, 'git');
  const folder = diskChild(all, name);
  for (const one of [all, folder]) makeFolder(ports, one);
  makeUpper(ports, folder, path);
  return `${access === 'edit' && ofCopy === null ? 'rw' : 'ro'}:${name}:${scriptArgument(path)}`;
}

/** Here the home of the copy is mounted once more, so that its path from outside is valid inside, too. */
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
