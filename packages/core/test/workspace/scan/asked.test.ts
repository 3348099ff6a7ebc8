/** A scan that asks a watching process what has not changed finds the same as a full scan, whatever the answer is. */
import { appendFileSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, WorkspaceCache } from '@savepoint/core';
import type { WatcherQuestion } from '@savepoint/core/ports';
import { git, realPorts, testEffort } from '@savepoint/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeChanges } from '../../../src/io/node/changes.ts';
import { DamagedWorld } from '../../damaged-store.ts';
import { CAN_WATCH } from '../../io/node/free-watch.ts';
import { type Bench, bench, commitTree, compare, race, SEED } from './scan-race.ts';

const ROUNDS = testEffort({ quick: 12, ci: 60, long: 5_000 });

/** Captures with the one that asks, and compares that with a full scan. @returns the folders that it visited */
async function compareAsking(b: Bench): Promise<number> {
  return (await compare({ w: b.w, watching: b.asking, looking: b.looking }, false)).went;
}

/** Where something is ignored, a scan depends on what git tracks. Such folders are always visited. */
function createTree(workspace: string): void {
  commitTree(workspace, ['src/deep/er', 'src/deep', 'src', 'src/many/a', 'src/many/b', 'lib', 'docs', 'docs/a/b']);
  for (const folder of ['src/deep/er', 'src/deep', 'src/many/a', 'lib', 'docs', 'docs/a/b']) {
    rmSync(`${workspace}/${folder}/x.log`);
  }
}

/** Everything is captured and watched. */
async function watched(): Promise<Bench> {
  const b = bench(nodeChanges(), {}, createTree);
  await b.looking.checkpoint();
  await b.watching.status();
  return b;
}

describe.runIf(CAN_WATCH)('a scan that asks', () => {
  it('visits only where something changed before the question', async () => {
    const b = await watched();
    for (const folder of ['docs', 'src/deep/er', 'lib']) {
      appendFileSync(`${b.w.workspace}/${folder}/a.txt`, 'more\n');
      const { folders, went } = await compare({ w: b.w, watching: b.asking, looking: b.looking }, false);
      expect(went, folder).toBeLessThan(folders);
    }
    expect(b.answers).not.toContain(null);
    expect((await b.asking.verify({ deep: true })).damage).toEqual([]);
  });

  it('sees new, removed and moved folders, other rules, and another commit', async () => {
    const b = await watched();
    const { workspace } = b.w;
    const deeds: readonly (() => void)[] = [
      () => mkdirSync(`${workspace}/docs/new/er`, { recursive: true }),
      () => writeFileSync(`${workspace}/docs/new/er/a.txt`, 'a'),
      () => git(workspace, 'mv', 'docs', 'src/docs'),
      () => writeFileSync(`${workspace}/src/.gitignore`, 'b.txt\n'),
      () => git(workspace, 'commit', '-qam', 'second'),
      () => git(workspace, 'rm', '-qr', 'lib'),
      () => void git(workspace, 'checkout', '-q', '-f', 'HEAD~1'),
    ];
    for (const deed of deeds) {
      deed();
      await compareAsking(b);
      await b.watching.status();
    }
  });

  // The other trees of the folder above are older than those of the folder below, which is not visited.
  it('does not take trees of the cache that are older than the last checkpoint', async () => {
    const b = await watched();
    await compareAsking(b);
    appendFileSync(`${b.w.workspace}/src/deep/a.txt`, 'captured by the process that watches\n');
    await b.watching.checkpoint();
    appendFileSync(`${b.w.workspace}/docs/a.txt`, 'more\n');
    await compareAsking(b);
    expect(b.answers.at(-1)).toContain('"src/deep"');
  });

  it('visits everything if a file has several links', async () => {
    const b = await watched();
    linkSync(`${b.w.workspace}/lib/a.txt`, `${b.w.workspace}/docs/second.txt`);
    appendFileSync(`${b.w.workspace}/docs/second.txt`, 'more\n');
    await compareAsking(b);
  });

  it('visits everything after damage was found, so that it is stored again', async () => {
    const w = new DamagedWorld();
    for (const file of ['docs/a.txt', 'lib/a.txt']) w.write(file, `${file}\n`);
    await w.open().checkpoint();
    const cache = new WorkspaceCache();
    onTestFinished(() => cache.close());
    const { workspace: dir, places } = w.world;
    await open({ dir, places, ports: realPorts({ changes: nodeChanges() }), watch: cache }).status();
    const ask = async (question: WatcherQuestion): Promise<string | null> => cache.answer(question);
    const asking = open({ dir, places, ports: { ...realPorts(), watcher: { ask } } });
    w.write('lib/a.txt', 'more\n');
    expect((await asking.checkpoint()).scan.visited.size).toBe(2);
    w.damageObject(w.idOf('refs/savepoint/cp/2:files/docs/a.txt'));
    expect((await asking.verify({ deep: true })).damage).not.toEqual([]);
    w.write('lib/a.txt', 'still more\n');
    expect((await asking.checkpoint()).scan.visited.size).toBe(3);
    const { damage } = await asking.verify({ deep: true });
    expect(damage.flatMap(({ checkpoints }) => checkpoints)).toEqual([]);
  });

  it('visits what is below a folder that was moved away and back', async () => {
    const b = await watched();
    const away = `${b.outside}/away`;
    renameSync(`${b.w.workspace}/src`, away);
    appendFileSync(`${away}/deep/er/a.txt`, 'changed while it was away\n');
    renameSync(away, `${b.w.workspace}/src`);
    await compareAsking(b);
    appendFileSync(`${b.w.workspace}/src/deep/er/a.txt`, 'changed when it was back\n');
    await compareAsking(b);
  });

  it('takes no trees that only an older checkpoint has', async () => {
    const b = await watched();
    await b.asking.checkpoint();
    const [answer] = b.answers;
    expect(answer).toContain('"docs"');
    appendFileSync(`${b.w.workspace}/docs/a.txt`, 'more\n');
    await b.looking.checkpoint();
    const ask = async (): Promise<string> => answer as string;
    const asking = open({ dir: b.w.workspace, ports: { ...realPorts(), watcher: { ask } }, places: b.w.places });
    // It is not in the answer.
    appendFileSync(`${b.w.workspace}/src/many/b/a.txt`, 'more\n');
    const { went, folders } = await compare({ w: b.w, watching: asking, looking: b.looking }, false);
    expect(went).toBeLessThan(folders);
  });

  it('gets no answer that is for other settings', async () => {
    const b = await watched();
    const settings = { dir: b.w.workspace, places: b.w.places, rules: { exclude: ['docs/a/'] } };
    const answers: (string | null)[] = [];
    const ask = async (question: WatcherQuestion): Promise<string | null> => {
      answers.push(b.cache.answer(question));
      return answers.at(-1) ?? null;
    };
    const asking = open({ ...settings, ports: { ...realPorts(), watcher: { ask } } });
    await compare({ w: b.w, watching: asking, looking: open({ ...settings, ports: realPorts() }) }, false);
    expect(answers).toEqual([null]);
  });

  it('finds the same beside four writers, and scans of the process that watches', { timeout: 3_600_000 }, async () => {
    const b = bench(nodeChanges(), {}, createTree);
    const { done } = await race(b, { rounds: ROUNDS, asks: true });
    const answers = b.answers.filter((answer) => answer !== null && answer !== '[]');
    console.info(`seed ${SEED}: ${done} deeds, ${answers.length} of ${b.answers.length} answers name folders`);
    expect(answers.length).toBeGreaterThan(ROUNDS / 3);
    expect((await b.asking.verify({ deep: true })).damage).toEqual([]);
  });
});

const ID = '0'.repeat(40);
const told = (...more: readonly unknown[]): string =>
  JSON.stringify([['docs', ID, null, '', false, 1, [1, 0, 1, 1, 0], ...more]]);

const WRONG: Readonly<Record<string, string>> = {
  nothing: '',
  'no JSON': '[["docs"',
  'another value': '{"docs":1}',
  'another length': told(1),
  'trees that are not in the checkpoint': told(),
  'no ids': JSON.stringify([['docs', 'x', null, '', false, 1, [1, 0, 1, 1, 0]]]),
  'no counts': JSON.stringify([['docs', ID, null, '', false, 1, [-1, 0, 1.5, 1, 0]]]),
  'the workspace itself': JSON.stringify([['', ID, null, '', false, 1, [1, 0, 1, 1, 0]]]),
  'many brackets': '['.repeat(100_000),
};

describe('whatever the answer is', () => {
  it.each(Object.entries(WRONG))('%s', async (_, answer) => {
    const b = bench({ watch: () => null });
    await b.looking.checkpoint();
    let asked = 0;
    const ask = async (): Promise<string> => {
      asked += 1;
      return answer;
    };
    const asking = open({ dir: b.w.workspace, ports: { ...realPorts(), watcher: { ask } }, places: b.w.places });
    appendFileSync(`${b.w.workspace}/docs/a.txt`, 'more\n');
    await compare({ w: b.w, watching: asking, looking: b.looking }, false);
    expect(asked).toBe(1);
  });
});
