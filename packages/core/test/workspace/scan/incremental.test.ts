/** An incremental scan, which visits only changed folders, finds the same as a full scan. */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { fixedClock, fsWith, git, realPorts, testEffort } from '@savepoint/testkit';
import { describe, expect, it, test } from 'vitest';
import { nodeChanges } from '../../../src/io/node/changes.ts';
import { CAN_WATCH } from '../../io/node/free-watch.ts';
import { setting } from '../../io/node/watched-mirror.ts';
import { InterruptedChanges } from './interrupted-changes.ts';
import { LimitedChanges } from './limited-changes.ts';
import { type Bench, bench, compare, race, SEED } from './scan-race.ts';

/** Number of rounds per race; all races together have a few more. */
const ROUNDS = testEffort({ quick: 25, ci: 600, long: 10_000 });

/** Creates more folders than the limit of a race allows. */
function plant(where: string): void {
  for (let folder = 0; folder < 144; folder++) {
    const path = `${where}/${Math.floor(folder / 12)}/${folder % 12}`;
    mkdirSync(path, { recursive: true });
    for (const name of ['a.txt', 'x.log']) writeFileSync(`${path}/${name}`, `${folder}\n`);
  }
}

/** Causes more events than the kernel queue holds, on two files that end up unchanged. */
function overflow(folder: string): void {
  const names = ['one', 'two'].map((name) => `${folder}/full-${name}`);
  for (const name of names) writeFileSync(name, '');
  for (let event = setting('/proc/sys/fs/inotify/max_queued_events') + 10; event > 0; event--) {
    chmodSync(names[event % 2] as string, 0o600 + (event % 7));
  }
  for (const name of names) rmSync(name);
}

test.runIf(CAN_WATCH)('a file that is written through a second name changes under both', async () => {
  const { w, watching, looking } = bench(nodeChanges());
  await looking.checkpoint();
  await watching.checkpoint();
  linkSync(`${w.workspace}/lib/a.txt`, `${w.workspace}/docs/second.txt`);
  appendFileSync(`${w.workspace}/docs/second.txt`, 'more\n');
  const { went, folders } = await compare({ w, watching, looking }, false);
  expect(went).toBeLessThan(folders);
  // From now on both are scanned each time.
  appendFileSync(`${w.workspace}/docs/second.txt`, 'and more\n');
  await compare({ w, watching, looking }, false);
});

test.runIf(CAN_WATCH)('a folder that is skipped by name and cannot be watched may become a root', async () => {
  const { w, watching, looking } = bench(
    new LimitedChanges(nodeChanges(), 100, (folder) => /build|cache/.test(folder)),
  );
  mkdirSync(`${w.workspace}/lib/build/x`, { recursive: true });
  mkdirSync(`${w.workspace}/lib/cache`);
  writeFileSync(`${w.workspace}/lib/cache/CACHEDIR.TAG`, 'Signature: 8a477f597d28d172789f06886806bc55');
  writeFileSync(`${w.workspace}/lib/cache/a.txt`, 'a');
  const both = { w, watching, looking };
  await looking.checkpoint();
  await compare(both, true);
  await compare(both, true);
  git(`${w.workspace}/lib/build`, 'init', '-q');
  await compare(both, true);
  rmSync(`${w.workspace}/lib/cache/CACHEDIR.TAG`);
  const { went, folders } = await compare(both, true);
  expect(went).toBeLessThan(folders);
});

describe.runIf(CAN_WATCH)('a scan that makes no checkpoint', () => {
  it('is remembered, except what no checkpoint has', async () => {
    const { w, watching, looking } = bench(nodeChanges());
    await looking.checkpoint();
    appendFileSync(`${w.workspace}/lib/a.txt`, 'more\n');
    mkdirSync(`${w.workspace}/new`);
    writeFileSync(`${w.workspace}/new/a.txt`, 'new\n');
    const visits = async (): Promise<readonly string[]> => [...((await watching.status()).scan?.visited.keys() ?? [])];
    const all = await visits();
    expect(all).toContain('docs');
    const again = await visits();
    for (const changed of ['lib', 'new', '']) expect(again).toContain(changed);
    for (const unchanged of ['docs', 'src', 'src/deep']) expect(again).not.toContain(unchanged);
    // A checkpoint must store what the scans before it only saw.
    await compare({ w, watching, looking }, false);
    expect((await watching.verify({ deep: true })).damage).toEqual([]);
  });

  it('is remembered if another process has captured the changes', async () => {
    const { w, watching, looking } = bench(nodeChanges());
    await looking.checkpoint();
    await watching.status();
    appendFileSync(`${w.workspace}/lib/a.txt`, 'more\n');
    await looking.checkpoint();
    const visits = async (): Promise<readonly string[]> => [...((await watching.status()).scan?.visited.keys() ?? [])];
    expect(await visits()).toContain('lib');
    expect(await visits()).not.toContain('lib');
    appendFileSync(`${w.workspace}/lib/a.txt`, 'and more\n');
    await compare({ w, watching, looking }, false);
  });

  describe.each([
    ['visits everything', false],
    ['visits what changed', true],
  ])('and %s', (_, isRemembered) => {
    it('hides no change from a capture that began earlier and ends later', async () => {
      const changes = new InterruptedChanges(nodeChanges());
      const clock = fixedClock(Date.now() + 60_000);
      let status: Promise<unknown> | undefined;
      const turn = async (): Promise<void> => void (await status);
      const { w, watching, looking } = bench(changes, { clock: { ...clock, turn } });
      const { workspace } = w;
      // So many names that the capture lets others work in between.
      mkdirSync(`${workspace}/many`);
      for (let file = 0; file < 200; file++) writeFileSync(`${workspace}/many/${file}`, `${file}`);
      const changed = `${workspace}/docs/a.txt`;
      const before = readFileSync(changed);
      await looking.checkpoint();
      if (isRemembered) await watching.status();
      appendFileSync(changed, 'more\n');
      // It is scanned, and has not changed.
      utimesSync(`${workspace}/many/1`, 1, 1);
      changes.onceWatched(`${workspace}/many`, () => {
        // For the other scan, the folder is as in the last checkpoint.
        writeFileSync(changed, before);
        clock.advance(60);
        status = watching.status();
      });
      await watching.checkpoint();
      expect(status).toBeDefined();
      await compare({ w, watching, looking }, false);
    });
  });
});

test.runIf(CAN_WATCH)('an unfinished repository does not keep the rules above from changing', async () => {
  // Everything is old enough to be trusted.
  const b = bench(nodeChanges(), { clock: fixedClock(Date.now() + 60_000) });
  mkdirSync(`${b.w.workspace}/src/.git`);
  await b.looking.checkpoint();
  await b.watching.checkpoint();
  await compare(b, false);
  writeFileSync(`${b.w.workspace}/.gitignore`, 'build\n');
  await compare(b, false);
});

describe.runIf(CAN_WATCH)('a change during a scan', () => {
  /** Acts while a checkpoint's scan enters the folder `z`, where a new file makes it ask for the changes so far. */
  async function checkpointDuring(act: (b: Bench) => void): Promise<Bench> {
    const changes = new InterruptedChanges(nodeChanges());
    const clock = fixedClock(Date.now());
    const b = bench(changes, { clock });
    await b.looking.checkpoint();
    await b.watching.checkpoint();
    const { workspace } = b.w;
    mkdirSync(`${workspace}/new/deep`, { recursive: true });
    writeFileSync(`${workspace}/new/deep/a.txt`, 'a\n');
    mkdirSync(`${workspace}/z`);
    changes.onceWatched(`${workspace}/z`, () => {
      act(b);
      writeFileSync(`${workspace}/z/now.txt`, 'now\n');
      clock.setWallClock(lstatSync(`${workspace}/z/now.txt`).ctimeMs);
    });
    const { polls } = changes;
    await b.watching.checkpoint();
    // One is for the beginning of the scan.
    expect(changes.polls).toBeGreaterThan(polls + 1);
    return b;
  }

  it('does not hide later changes below a new folder that was moved away and back', async () => {
    const b = await checkpointDuring(({ w, outside }) => {
      renameSync(`${w.workspace}/new`, `${outside}/away`);
      renameSync(`${outside}/away`, `${w.workspace}/new`);
    });
    writeFileSync(`${b.w.workspace}/new/deep/a.txt`, 'changed when it was back\n');
    await compare(b, false);
  });

  it('is found if a file that was already scanned is written through another name', async () => {
    const b = await checkpointDuring(({ w: { workspace } }) => {
      linkSync(`${workspace}/new/deep/a.txt`, `${workspace}/z/second.txt`);
      appendFileSync(`${workspace}/z/second.txt`, 'more\n');
    });
    await compare(b, false);
  });
});

describe.runIf(CAN_WATCH)('four writers', () => {
  it('produce the same snapshots with and without watching', { timeout: 3_600_000 }, async () => {
    const rounds = Math.ceil(ROUNDS * 0.4);
    const { partly, done } = await race(bench(nodeChanges()), { rounds });
    console.info(`seed ${SEED}: ${done} deeds, ${partly} of ${rounds} scans went only somewhere`);
    // Otherwise nothing was tested.
    expect(partly).toBeGreaterThan(rounds >= 100 ? rounds / 3 : 0);
    expect(done).toBeGreaterThan(rounds);
  });

  it('produce the same snapshots if what is remembered comes from scans without a checkpoint', {
    timeout: 3_600_000,
  }, async () => {
    const rounds = Math.ceil(ROUNDS * 0.2);
    const { partly } = await race(bench(nodeChanges()), { rounds, forgets: true });
    console.info(`seed ${SEED}: ${partly} of ${rounds} scans went only somewhere`);
    expect(partly).toBeGreaterThan(rounds >= 100 ? rounds / 5 : 0);
  });

  it('produce the same snapshots if only 100 folders can be watched', { timeout: 3_600_000 }, async () => {
    const rounds = Math.ceil(ROUNDS * 0.4);
    const limited = new LimitedChanges(nodeChanges(), 100);
    const b = bench(limited);
    let full = 0;
    const { partly, done } = await race(b, {
      rounds,
      before: (round, folders) => {
        if (folders < 130) plant(`${b.w.workspace}/planted-${round}`);
      },
      looked: () => {
        if (limited.watched === 100) full += 1;
      },
    });
    const { refused } = limited;
    console.info(
      `seed ${SEED}: ${done} deeds, ${partly} of ${rounds} scans went only somewhere, ${full} left no folder to be watched, ${refused} were refused`,
    );
    // A round may leave fewer folders than that.
    expect(full).toBeGreaterThan(rounds * 0.7);
    expect(refused).toBeGreaterThan(rounds);
    expect(partly).toBeGreaterThan(rounds >= 100 ? rounds / 3 : 0);
    expect(done).toBeGreaterThan(rounds);
  });

  it('produce the same snapshots if the queue of the system overflows', { timeout: 3_600_000 }, async () => {
    const rounds = Math.ceil(ROUNDS * 0.2);
    const limited = new LimitedChanges(nodeChanges({ drainInBackground: false }), 100);
    const b = bench(limited);
    plant(`${b.w.workspace}/planted`);
    const { partly } = await race(b, {
      rounds,
      after: (round) => {
        if (round % 3 === 0) overflow(b.w.workspace);
      },
    });
    console.info(`${partly} of ${rounds} scans went only somewhere, lost: ${JSON.stringify([...limited.losses])}`);
    expect(limited.losses.get('the queue of the system overflowed')).toBeGreaterThan(rounds / 5);
  });

  it('produce the same snapshots with more changes than are remembered', { timeout: 3_600_000 }, async () => {
    // About half of the rounds lose events.
    const rounds = Math.max(12, ROUNDS * 0.1);
    const limited = new LimitedChanges(nodeChanges({ drainInBackground: false, maxNames: 5 }), 1_000);
    const { partly } = await race(bench(limited), { rounds });
    console.info(`${partly} of ${rounds} scans went only somewhere, lost: ${JSON.stringify([...limited.losses])}`);
    expect(limited.losses.get('more changes than are kept in memory')).toBeGreaterThan(0);
  });
});

describe.runIf(CAN_WATCH)('a folder that cannot be watched', () => {
  it('does not vouch for a file that may be written at this moment', async () => {
    const clock = fixedClock(Date.now());
    const opened: string[] = [];
    const { fs } = realPorts();
    const counting = fsWith(fs, {
      openRead: (path) => {
        opened.push(path);
        return fs.openRead(path);
      },
    });
    const changes = new LimitedChanges(nodeChanges(), Number.POSITIVE_INFINITY, (folder) => folder.endsWith('/docs'));
    const { w, watching } = bench(changes, { clock, fs: counting });
    const files = ['docs', 'lib'].map((folder) => `${w.workspace}/${folder}/now.txt`);
    for (const file of files) writeFileSync(file, 'now\n');
    clock.setWallClock(lstatSync(`${w.workspace}/docs/now.txt`).ctimeMs);
    await watching.checkpoint();
    expect(files.map((file) => opened.filter((path) => path === file).length)).toEqual([2, 1]);
  });

  it('does not hide changes below it while it is moved away', async () => {
    const b = bench(new LimitedChanges(nodeChanges(), Number.POSITIVE_INFINITY, (folder) => folder.endsWith('/src')));
    const { workspace } = b.w;
    await b.looking.checkpoint();
    await b.watching.checkpoint();
    // At first the repository's own files are too young to be trusted.
    await expect.poll(async () => (await compare(b, false)).went, { timeout: 20_000 }).toBeLessThan(5);
    const away = `${b.outside}/away`;
    renameSync(`${workspace}/src`, away);
    writeFileSync(`${away}/deep/er/a.txt`, 'changed while it was away\n');
    renameSync(away, `${workspace}/src`);
    await compare(b, false);
    writeFileSync(`${workspace}/src/deep/er/a.txt`, 'changed when it was back\n');
    await compare(b, false);
  });
});
