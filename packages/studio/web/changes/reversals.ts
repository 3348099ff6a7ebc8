/** Which lines of a difference are no longer there, because a later operation brought back what was there before. */
import { useQuery } from '@tanstack/react-query';
import { callVerb } from '../api/call.ts';
import { nameFromKey, nameKey, textOf } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import { type PatchHunk, type PatchLine, patchHunks } from '../diff/patch.ts';
import { numberOf } from '../timeline/rows.ts';

/** What happened to a file after the state that is shown. */
export interface LaterWork {
  /** From that state to the folder now. */
  readonly hunks: readonly PatchHunk[];
  /** Operations of Savepoint that changed the file since, newest first. */
  readonly operations: readonly { readonly checkpoint: string; readonly hunks: readonly PatchHunk[] }[];
}

export interface Reversal {
  /** The operation; null: it is not known, or Savepoint did not do it. */
  readonly by: string | null;
  /** Whether nothing of it is left. */
  readonly isWhole: boolean;
}

const OPERATIONS = new Set(['rollback', 'restore', 'undo', 'redo', 'freeze']);
const MOST_CHANGES = 50;
const MOST_OPERATIONS = 8;

/** @param at the checkpoint that is shown; null: the folder, after which nothing happened */
export function useLaterWork(at: string | null, key: string): LaterWork | null {
  const { id } = useWorkspace();
  const { data } = useQuery({
    queryKey: [id, 'live', 'later-work', at, key],
    queryFn: ({ signal }) => laterWork(id, at ?? '', key, signal),
    enabled: at !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? null;
}

/** @returns null if all of its lines are still there, or were changed in another way */
export function reversalOf(hunk: PatchHunk, { hunks, operations }: LaterWork): Reversal | null {
  const own = runsOf(hunk);
  const later = hunks.flatMap(runsOf);
  const gone = own.filter((run) => later.some((one) => isReverse(run, one) && isSamePlace(run, one)));
  if (gone.length === 0) return null;
  const found = operations.find(({ hunks: made }) => {
    const runs = made.flatMap(runsOf);
    return gone.every((run) => runs.some((one) => isReverse(run, one)));
  });
  return { by: found?.checkpoint ?? null, isWhole: gone.length === own.length };
}

/** Lines that replace others. */
interface Run {
  readonly removed: readonly PatchLine[];
  readonly added: readonly PatchLine[];
  /** The line before it, on each side. */
  readonly before: number;
  readonly after: number;
}

function runsOf({ lines, before, after }: PatchHunk): readonly Run[] {
  const runs: Run[] = [];
  let [old, young] = [before[1] === 0 ? before[0] : before[0] - 1, after[1] === 0 ? after[0] : after[0] - 1];
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.kind === 'same') {
      [old, young, at] = [old + 1, young + 1, at + 1];
      continue;
    }
    let end = at;
    while (end < lines.length && lines[end]?.kind !== 'same') end += 1;
    const changed = lines.slice(at, end);
    const removed = changed.filter(({ kind }) => kind === 'removed');
    const added = changed.filter(({ kind }) => kind === 'added');
    runs.push({ removed, added, before: old, after: young });
    [old, young, at] = [old + removed.length, young + added.length, end];
  }
  return runs;
}

function isReverse(run: Run, later: Run): boolean {
  return isSameText(run.added, later.removed) && isSameText(run.removed, later.added);
}

function isSamePlace(run: Run, later: Run): boolean {
  return run.after === later.before;
}

function isSameText(lines: readonly PatchLine[], others: readonly PatchLine[]): boolean {
  return lines.length === others.length && lines.every(({ text }, at) => text === others[at]?.text);
}

async function laterWork(workspace: string, at: string, key: string, signal: AbortSignal): Promise<LaterWork> {
  const path = nameFromKey(key);
  const diff = await callVerb(workspace, 'diff', { from: at, paths: [path], patch: true }, signal);
  const hunks = hunksIn(diff.output.patch, key);
  if (hunks.length === 0) return { hunks, operations: [] };
  const history = await callVerb(workspace, 'history', { file: path, limit: MOST_CHANGES }, signal);
  const changes = history.output.changes
    .filter(
      (one) => nameKey(one.path) === key && numberOf(one.checkpoint) > numberOf(at) && OPERATIONS.has(one.trigger),
    )
    .slice(0, MOST_OPERATIONS);
  const operations = await Promise.all(
    changes.map(async ({ id, checkpoint }) => {
      const { output } = await callVerb(workspace, 'diff', { change: id, patch: true }, signal);
      return { checkpoint, hunks: hunksIn(output.patch, key) };
    }),
  );
  return { hunks, operations };
}

function hunksIn(patch: Parameters<typeof textOfPatch>[0], key: string): readonly PatchHunk[] {
  return patchHunks(textOfPatch(patch)).get(key) ?? [];
}

function textOfPatch(patch: { readonly text: Parameters<typeof textOf>[0] } | null): string {
  return patch === null ? '' : textOf(patch.text);
}
