/** Asks git, which uses the user's configuration as well as that of the repository. */

import type { ProgramResult } from '../io/programs.ts';
import type { DiskPath, TreePath } from '../model/names.ts';
import { UnusableGitFile } from './file.ts';
import { firstErrorLine, type Git } from './program.ts';
import type { GitState } from './repository.ts';

export interface AsUser {
  readonly git: Git;
  readonly state: GitState;
  /** The user's environment. */
  readonly variables: Readonly<Record<string, string>>;
}

/** @returns by name, in lower case @throws UnusableGitFile */
export async function settingsOf(
  { git, state, variables }: AsUser,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const pattern = `^(${names.map((name) => name.replaceAll('.', '\\.')).join('|')})$`;
  const found = await git.readAsUser(state, ['config', '-z', '--get-regexp', pattern], variables);
  if (found.exit !== 0 && found.exit !== NONE) throw refusedBy(state, found);
  const settings = new Map<string, string>();
  for (const part of partsOf(found.stdout)) {
    const end = part.indexOf('\n');
    // A name without a value is true.
    settings.set(end < 0 ? part : part.slice(0, end), end < 0 ? 'true' : part.slice(end + 1));
  }
  return settings;
}

/**
 * Returns those of the paths that git ignores, by any rule of the repository or the user, and does not track.
 * @param folder of the repository; the paths are relative to it
 * @throws UnusableGitFile
 */
export async function ignoredOf(
  { git, state, variables }: AsUser,
  folder: DiskPath,
  paths: readonly TreePath[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const input = Buffer.from(paths.map((path) => `${HERE}${path}\0`).join(''), 'latin1');
  const found = await git.readAsUser(state, ['check-ignore', '-z', '--stdin'], variables, { folder, input });
  if (found.exit !== 0 && found.exit !== NONE) throw refusedBy(state, found);
  return new Set(partsOf(found.stdout).map((path) => path.slice(HERE.length)));
}

/** After it, `:` has no special meaning to git. */
const HERE = './';
/** git's exit status if it found nothing. */
const NONE = 1;

function refusedBy({ gitDir: path }: GitState, found: ProgramResult): UnusableGitFile {
  return new UnusableGitFile({ path, why: 'unreadable', detail: firstErrorLine(found) });
}

function partsOf(output: Buffer): readonly string[] {
  return output.toString('latin1').split('\0').slice(0, -1);
}
