/**
 * Runs the hooks of repositories on the commits that they would get, on request of a person: pre-commit, prepare-commit-msg,
 * commit-msg, and post-commit afterwards. The store's lock is not held meanwhile, so that hooks can use Savepoint.
 *
 * H1 pre-commit sees, as GIT_INDEX_FILE, an index with HEAD and the files of the plan. It is not the repository's own one.
 * H2 What a hook stages there of the plan's files is committed, and staged in the repository's own index. If it stages
 *    anything else, nothing is committed.
 * H3 The files on disk must be as they are committed before the hooks start, because most hooks read them.
 * H4 All hooks of all repositories succeed before the first commit. A status other than 0 refuses all of them.
 */

import { showText } from '../content/show-name.ts';
import { UnusableGitFile } from '../git/file.ts';
import type { Git } from '../git/program.ts';
import { readEntireFile } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { ProgramResult } from '../io/programs.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import { type DiskPath, onDisk, type TreePath, textFromBytes } from '../model/names.ts';
import { writeHookFiles } from '../store/state/commit-index.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { givenMessage } from './commit-message.ts';
import {
  addContents,
  assertUnchanged,
  type IndexEdit,
  indexLines,
  named,
  type PreparedCommit,
  type PreparedCommits,
  Refusal,
  refused,
  shown,
  succeed,
} from './prepare-commit.ts';

/** A commit that waits for its hooks. */
export interface StagedCommit extends PreparedCommit {
  readonly folder: DiskPath;
  /** What the hooks see. */
  readonly hookIndex: DiskPath;
  readonly hookMessage: DiskPath;
  /** Of that index. */
  readonly staged: string;
}

/** What the hooks of a repository made of its commit. */
export type HookedCommit = Pick<PreparedCommit, 'root' | 'head' | 'changes' | 'edits' | 'message'>;

/** What hooks get from the user. */
export interface HookCaller {
  readonly variables: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
}

/**
 * Makes what the hooks see. The caller holds the store's lock.
 * @param at an empty folder
 * @throws SavepointError GIT_REFUSED if a file of the plan has changed since it was applied
 */
export async function stageForHooks(
  workspace: Workspace,
  { git, commits }: PreparedCommits,
  at: DiskPath,
  pace: Pace,
): Promise<readonly StagedCommit[]> {
  const { fs } = workspace.ports;
  const staged: StagedCommit[] = [];
  for (const [place, one] of commits.entries()) {
    const { root, state, head, index, edits, message } = one;
    const folder = onDisk(workspace.root, root);
    await refusing(root, async () => {
      assertUnchanged(workspace, one);
      await addContents(workspace, git, one, pace);
      const files = writeHookFiles(fs, at, place, { index: index.bytes, message });
      const { index: hookIndex, message: hookMessage } = files;
      // What git knows of the files stays, so that hooks need not read all of them.
      await succeed(git.run(state, ['read-tree', '-m', '-i', head], undefined, hookIndex));
      await succeed(git.run(state, ['update-index', '-z', '--index-info'], indexLines(edits), hookIndex));
      const tree = await succeed(git.run(state, ['write-tree'], undefined, hookIndex));
      staged.push({ ...one, folder, hookIndex, hookMessage, staged: tree });
    });
  }
  return staged;
}

/** @throws SavepointError GIT_REFUSED if a hook refuses, CANCELLED */
export async function runHooks(
  { ports }: Pick<Workspace, 'ports'>,
  git: Git,
  commits: readonly StagedCommit[],
  caller: HookCaller,
): Promise<readonly HookedCommit[]> {
  const done: HookedCommit[] = [];
  for (const one of commits) {
    const { root, head, changes, hookMessage } = one;
    await refusing(root, async () => {
      const run = (name: string, ...args: readonly string[]): Promise<void> => runHook(git, one, name, args, caller);
      await run('pre-commit');
      const edits = await editsAfter(git, one);
      const file = textFromBytes(hookMessage);
      if (file === null) throw new Refusal('hooks cannot get the path of the message, which is not valid UTF-8');
      await run('prepare-commit-msg', file, 'message');
      await run('commit-msg', file);
      const message = givenMessage(readEntireFile(ports.fs, hookMessage, MESSAGE_BYTES).toString());
      if (message.trim() === '') throw new Refusal('its hooks left an empty message');
      done.push({ root, head, changes, edits, message });
    });
  }
  return done;
}

/** After the commit. A failure of it changes nothing. @returns what to say about it */
export async function runPostCommit(
  git: Git,
  commits: readonly StagedCommit[],
  { variables }: HookCaller,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const { folder, root } of commits) {
    const ran = await git.hook({ name: 'post-commit', folder, args: [], variables, index: null, signal: null });
    if (ran.exit === 0) continue;
    const last = outputOf(ran).split('\n').at(-1) ?? '';
    notes.push(`${shown(root)}: its hook post-commit failed (${endOf(ran)})${last === '' ? '' : `: ${last}`}`);
  }
  return notes;
}

const MESSAGE_BYTES = 1024 * 1024;
/** The end of what a hook printed. */
const SHOWN_CHARACTERS = 1_500;

async function refusing(root: TreePath, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refusal || error instanceof UnusableGitFile || isFsError(error))
      throw refused([{ path: root, why: error.message }]);
    throw error;
  }
}

async function runHook(
  git: Git,
  { folder, hookIndex: index, author }: StagedCommit,
  name: string,
  args: readonly string[],
  { variables, signal }: HookCaller,
): Promise<void> {
  const named = { GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email };
  const ran = await git.hook({ name, folder, args, variables: { ...variables, ...named }, index, signal });
  if (ran.ended === 'aborted') throw new SavepointError('CANCELLED', `Cancelled while the hook ${name} ran.`);
  if (ran.exit === 0) return;
  const output = outputOf(ran);
  throw new Refusal(`its hook ${name} refused (${endOf(ran)})${output === '' ? '' : `:\n${output}`}`);
}

function endOf({ exit, signal, ended }: ProgramResult): string {
  if (ended === 'too-much') return 'it printed too much';
  return exit === null ? `ended by ${signal ?? ended}` : `status ${exit}`;
}

/** The end of it, for display. */
function outputOf({ stdout, stderr }: ProgramResult): string {
  const text = showText(`${stdout.toString()}${stderr.toString()}`.trim(), 'keep');
  return text.length > SHOWN_CHARACTERS ? `…${text.slice(-SHOWN_CHARACTERS)}` : text;
}

/** What the commit changes after the hook. @throws Refusal if it staged what is not part of the plan */
async function editsAfter(git: Git, one: StagedCommit): Promise<readonly IndexEdit[]> {
  const { state, hookIndex, staged, edits, tree } = one;
  const after = await succeed(git.run(state, ['write-tree'], undefined, hookIndex));
  if (after === staged) return edits;
  if (after === tree) throw new Refusal('its hook pre-commit left nothing to commit');
  const raw = await succeed(git.run(state, ['diff-tree', '-r', '-z', '--no-renames', staged, after]));
  const changed = new Map<string, IndexEdit>();
  const parts = raw.split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', , id = ''] = (parts[at] ?? '').split(' ');
    const path = parts[at + 1] as TreePath;
    changed.set(path, { path, to: mode === '000000' ? null : { mode: Number.parseInt(mode, 8), id: id as ObjectId } });
  }
  const planned = new Set<string>(edits.map(({ path }) => path));
  const others = [...changed.values()].filter(({ path }) => !planned.has(path)).map(({ path }) => path);
  if (others.length > 0)
    throw new Refusal(`its hook pre-commit staged ${named(others)}, which the plan does not change`);
  return edits.map((edit) => changed.get(edit.path) ?? edit);
}
