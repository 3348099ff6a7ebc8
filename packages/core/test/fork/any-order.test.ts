/**
 * Random edits in three forks and in the workspace: merged in any of the six orders, the same paths conflict, and all
 * other paths get the same content. Of two forks that do not go together, the one that is merged later has the conflict: so
 * it depends on the order which fork's changes of such a path are in the workspace, and nothing else does.
 */

import { type DiskPath, open, type Savepoint } from '@savepoint/core';
import { fakeProcesses, SimDisk, seededRandom, simPorts, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { editRandomly, type FolderState, makeFiles, stateOf } from './forked-edits.ts';

const ROOT = '/w';
const NAMES = ['a', 'b', 'c'];
const ORDERS = [
  ['a', 'b', 'c'],
  ['a', 'c', 'b'],
  ['b', 'a', 'c'],
  ['b', 'c', 'a'],
  ['c', 'a', 'b'],
  ['c', 'b', 'a'],
];
const MAX_EDITS = 5;

interface Merged {
  readonly order: readonly string[];
  readonly conflicts: ReadonlySet<string>;
  /** A file in place of a folder cannot be left out of a merge, so such a fork is not merged at all. */
  readonly isRefused: boolean;
  readonly files: FolderState;
}

function openOn(disk: SimDisk, pid: number): Savepoint {
  const processes = fakeProcesses({ pid, startedAt: `${pid}` });
  const places = { home: '/home' as DiskPath, userHome: null, globalIgnore: null, gitAttributes: () => [] };
  return open({ dir: ROOT as DiskPath, ports: simPorts(disk, { processes, seed: pid }), places });
}

async function mergedIn(start: SimDisk, order: readonly string[]): Promise<Merged> {
  const disk = start.afterProcessDeath();
  const savepoint = openOn(disk, 100);
  const conflicts = new Set<string>();
  let isRefused = false;
  let operations = 0;
  for (const name of order) {
    const { plan } = await savepoint.previewMerge(name);
    for (const { path } of plan.conflicts) conflicts.add(path);
    if (plan.conflicts.some(({ sides }) => sides === undefined)) {
      await expect(savepoint.mergeFork(name, { skipConflicts: true })).rejects.toMatchObject({ code: 'CONFLICT' });
      isRefused = true;
      continue;
    }
    const { checkpoint, plan: done } = await savepoint.mergeFork(name, { skipConflicts: true });
    // A rename of which one half conflicts is left as a whole, so what the next merge finds depends on the order.
    if (done.kept.some(({ why }) => why.includes('it is one rename with'))) isRefused = true;
    if (checkpoint !== null) operations += 1;
  }
  const files = stateOf(disk, ROOT);
  for (let undone = 0; undone < operations; undone++) await savepoint.undo();
  expect(stateOf(disk, ROOT), `${order}, all undone`).toEqual(stateOf(start, ROOT));
  return { order, conflicts, isRefused, files };
}

/** What a conflict concerns: a file in place of a folder concerns all below it. */
function without({ files }: Merged, conflicts: readonly string[]): FolderState {
  const isConcerned = (path: string): boolean =>
    conflicts.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
  return Object.fromEntries(Object.entries(files).filter(([path]) => !isConcerned(path)));
}

test('the order of merges does not matter', { timeout: 3_600_000 }, async () => {
  const first = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  const rounds = process.env['SAVEPOINT_SEED'] === undefined ? testEffort({ quick: 3, ci: 8, long: 1_500 }) : 1;
  for (let seed = first; seed < first + rounds; seed++) {
    const random = seededRandom(seed);
    const disk = new SimDisk();
    disk.makeFolder(ROOT as DiskPath, 0o755);
    makeFiles(disk, ROOT);
    const savepoint = openOn(disk, 90);
    const created = await savepoint.createForks(NAMES, { rungs: ['copy'] });
    const folders = [
      ['person', ROOT],
      ...created.map(({ fork, files }) => [fork.name, files ?? ROOT] as const),
    ] as const;
    for (const [who, folder] of folders) {
      for (let more = random.integer(MAX_EDITS + 1); more > 0; more--) editRandomly(disk, folder, who, random);
    }
    await savepoint.checkpoint();
    const merged: Merged[] = [];
    for (const order of ORDERS) merged.push(await mergedIn(disk, order));
    if (merged.some(({ isRefused }) => isRefused)) {
      for (const { order, conflicts } of merged) {
        expect(conflicts.size, `SAVEPOINT_SEED=${seed}, order ${order}`).toBeGreaterThan(0);
      }
      continue;
    }
    const conflicts = [...merged[0]!.conflicts].sort();
    for (const one of merged) {
      const where = `SAVEPOINT_SEED=${seed}, order ${one.order}`;
      expect([...one.conflicts].sort(), where).toEqual(conflicts);
      expect(without(one, conflicts), where).toEqual(without(merged[0]!, conflicts));
    }
  }
});
