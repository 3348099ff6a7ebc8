/**
 * The same comparison on a tree with many folders, in some of which `node_modules` is tracked. The long version, on a
 * clone of a public repository: `SAVEPOINT_LONG=1 SAVEPOINT_CLONE=DIR npx vitest run --project quick incremental-large`.
 */
import { rmSync } from 'node:fs';
import { git, testEffort } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { nodeChanges } from '../../../src/io/node/changes.ts';
import { CAN_WATCH } from '../../io/node/free-watch.ts';
import { bench, commitTree, race, SEED } from './scan-race.ts';

const CLONE = process.env['SAVEPOINT_CLONE'];
const ROUNDS = testEffort({ quick: 4, ci: 20, long: 200 });
const PACKAGES = testEffort({ quick: 40, ci: 40, long: 700 });

/** Fifteen folders for each package. Every third has tracked dependencies. */
function createLargeTree(workspace: string): void {
  if (CLONE !== undefined) {
    git('/', 'clone', '-q', '--shared', CLONE, workspace);
    return;
  }
  const folders = Array.from({ length: PACKAGES }, (_, number) => {
    const dependencies = number % 3 === 0 ? 'node_modules' : 'fixtures';
    const inside = ['src', 'src/deep/er', 'test/one/two', 'docs/a', 'docs/b', `${dependencies}/one/lib`];
    return [...inside, `test/${dependencies}/two/src`].map((folder) => `packages/p${number}/${folder}`);
  });
  commitTree(workspace, folders.flat());
}

describe.runIf(CAN_WATCH)('four writers in many folders', () => {
  it('produce the same snapshots with and without watching', { timeout: 3_600_000 }, async () => {
    const b = bench(nodeChanges(), {}, createLargeTree);
    const { partly, done, visits } = await race(b, { rounds: ROUNDS });
    const { folders } = (await b.looking.status()).scan?.counts ?? { folders: 0 };
    console.info(`seed ${SEED}: ${done} deeds, ${partly} of ${ROUNDS} scans went only somewhere, ${folders} folders`);
    expect(folders).toBeGreaterThan(CLONE === undefined ? PACKAGES * 8 : 1_000);
    // A scan can visit a small part of the tree: the tracked dependencies are remembered, too.
    expect(Math.min(...visits)).toBeLessThan(folders / 4);
    expect(done).toBeGreaterThan(ROUNDS);
  });

  it('produce the same snapshots if a process that does not watch asks one that does', {
    timeout: 3_600_000,
  }, async () => {
    const b = bench(nodeChanges(), {}, (workspace) => {
      createLargeTree(workspace);
      // Folders with ignored files are always visited.
      for (let number = 0; number < PACKAGES; number++) {
        for (const folder of ['src', 'docs/a', 'docs/b']) {
          rmSync(`${workspace}/packages/p${number}/${folder}/x.log`, { force: true });
        }
      }
    });
    const { partly, done } = await race(b, { rounds: Math.ceil(ROUNDS / 4), asks: true });
    console.info(`seed ${SEED}: ${done} deeds, ${partly} scans went only somewhere`);
    expect(b.answers.some((answer) => answer !== null && answer !== '[]')).toBe(true);
  });
});
