// @ts-check
/** Measures one repository. Ours and git take turns, and each change is made for both. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDaemon } from '../daemon.mjs';
import { EditedFiles } from '../edited-files.mjs';
import { startLongLived } from '../long-lived.mjs';
import { bytesOnDisk, flushDisk, timed, wholeCommand } from '../measure.mjs';
import { PrivateRepository } from '../private-repository.mjs';
import { git } from '../repository.mjs';
import { record } from './rows.mjs';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
/** A scan always reads files again that are less than two seconds old. */
const STABLE_AFTER_MS = 2_500;
/** What takes milliseconds is measured more often than what takes seconds. */
export const SHORT_RUNS = 3;
const EDITED = 1_000;
const RESTORED = 5_000;
const CHECKPOINTS_OF_GROWTH = 20;
const EDITS_OF_GROWTH = 9;

/**
 * @typedef {object} World
 * @property {string} base
 * @property {import('./subject.mjs').Subject} subject
 * @property {number} runs
 * @property {import('./rows.mjs').Figures} figures
 */

/**
 * @typedef {object} Contenders
 * @property {import('../long-lived.mjs').LineProcess} staying a process that watches the folder
 * @property {string} stayingHome
 * @property {(...args: string[]) => number} command a whole command without a daemon: milliseconds
 * @property {PrivateRepository} kept git's private repository
 * @property {EditedFiles} edited
 */

/**
 * @param {{ base: string, subject: import('./subject.mjs').Subject, runs: number }} given `base`: an empty folder
 * @returns {Promise<import('./rows.mjs').Figures>}
 */
export async function measureSubject({ base, subject, runs }) {
  /** @type {World} */
  const world = { base, subject, runs, figures: new Map() };
  await firstCheckpoints(world);
  const contenders = await started(world);
  await smallSteps(world, contenders);
  await manyFiles(world, contenders);
  await switches(world, contenders);
  await restores(world, contenders);
  await commands(world, contenders);
  await growth(world, contenders);
  record(world.figures, 'memory', await contenders.staying.end(), null);
  await throughDaemon(world, contenders);
  return world.figures;
}

/** @param {World} world */
async function firstCheckpoints({ base, subject, runs, figures }) {
  for (let run = 0; run < runs; run++) {
    const [home, commandHome] = [join(base, `home-${run}`), join(base, `home-command-${run}`)];
    const process = await startLongLived(subject.dir, home);
    flushDisk();
    const ours = await process.does('checkpoint');
    await process.does('idle');
    const memory = await process.end();
    flushDisk();
    const whole = savepoint(subject.dir, commandHome, 'checkpoint');
    flushDisk();
    const fresh = new PrivateRepository(join(base, `private-${run}`), subject.dir);
    const theirs = fresh.firstSnapshot();
    record(figures, 'first', ours, theirs.ms);
    record(figures, 'firstCommand', whole.ms, theirs.ms);
    record(figures, 'memoryFirst', memory, theirs.peakMb);
    record(figures, 'memoryCommand', whole.peakMb, theirs.peakMb);
    record(figures, 'memory', null, theirs.peakMb);
    record(figures, 'memoryDaemon', null, theirs.peakMb);
    record(figures, 'disk', bytesOnDisk(home) / 1e6, bytesOnDisk(fresh.folder) / 1e6);
    for (const folder of [home, commandHome, fresh.folder]) rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {World} world @returns {Promise<Contenders>} */
async function started({ base, subject }) {
  const stayingHome = join(base, 'home');
  const commandHome = join(base, 'home-command');
  const staying = await startLongLived(subject.dir, stayingHome);
  const command = (/** @type {string[]} */ ...args) => savepoint(subject.dir, commandHome, ...args).ms;
  const kept = new PrivateRepository(join(base, 'private'), subject.dir);
  await staying.does('checkpoint');
  command('checkpoint');
  kept.commit();
  await sleep(STABLE_AFTER_MS);
  await staying.does('checkpoint');
  await staying.does('idle');
  command('checkpoint');
  kept.snapshot();
  return { staying, stayingHome, command, kept, edited: new EditedFiles(subject.dir) };
}

/** @param {World} world @param {Contenders} contenders */
async function smallSteps(world, { staying, kept, edited }) {
  const { runs, figures } = world;
  for (let run = 0; run < runs * SHORT_RUNS; run++) {
    record(figures, 'look', await staying.does('look'), kept.snapshot());
    record(figures, 'nothing', await staying.does('checkpoint'), kept.snapshot());
  }
  for (let run = 0; run < runs * SHORT_RUNS; run++) {
    edited.edit(1);
    await both(
      world,
      run,
      'one',
      () => staying.does('checkpoint'),
      () => kept.snapshot(),
    );
  }
  for (let run = 0; run < runs * SHORT_RUNS; run++) {
    edited.edit(1);
    const ours = await staying.does('restore last');
    kept.commit();
    edited.edit(1);
    record(figures, 'restoreOne', ours, kept.restore());
    await staying.does('checkpoint');
  }
}

/** @param {World} world @param {Contenders} contenders */
async function manyFiles(world, { staying, kept, edited }) {
  const count = atMostHalf(EDITED, edited);
  for (let run = 0; run < world.runs; run++) {
    await sleep(STABLE_AFTER_MS);
    await staying.does('checkpoint');
    kept.snapshot();
    edited.edit(count);
    await both(
      world,
      run,
      'many',
      () => staying.does('checkpoint'),
      () => kept.snapshot(),
    );
  }
}

/** @param {World} world @param {Contenders} contenders */
async function switches(world, { staying, kept }) {
  const { dir, older, branch } = world.subject;
  const checkout = (/** @type {string[]} */ ...args) => timed(() => git(dir, 'checkout', '-q', ...args));
  for (let run = 0; run < world.runs; run++) {
    checkout('-f', branch);
    await sleep(STABLE_AFTER_MS);
    await staying.does('checkpoint');
    kept.snapshot();
    checkout('--detach', older);
    await both(
      world,
      run,
      'switched',
      () => staying.does('checkpoint'),
      () => kept.snapshot(),
    );
    flushDisk();
    const ours = await staying.does('restore last~1');
    checkout('-f', branch);
    checkout('--detach', older);
    flushDisk();
    record(world.figures, 'restoreSwitched', ours, checkout(branch));
  }
}

/** @param {World} world @param {Contenders} contenders */
async function restores({ subject, runs, figures }, { staying, edited }) {
  const count = atMostHalf(RESTORED, edited);
  for (let run = 0; run < runs; run++) {
    await sleep(STABLE_AFTER_MS);
    await staying.does('checkpoint');
    edited.edit(count);
    const ours = await staying.does('restore last');
    edited.edit(count);
    record(
      figures,
      'restoreMany',
      ours,
      timed(() => git(subject.dir, 'checkout', '-q', '-f', subject.branch)),
    );
  }
}

/** @param {World} world @param {Contenders} contenders */
async function commands({ base, subject, runs, figures }, { command, kept, edited }) {
  command('checkpoint');
  kept.snapshot();
  git(subject.dir, 'status');
  await sleep(STABLE_AFTER_MS);
  command('checkpoint');
  const looking = await startLongLived(subject.dir, join(base, 'home-command'), { BENCH_WATCH: 'off' });
  await looking.does('status');
  for (let run = 0; run < runs; run++) {
    const status = timed(() => git(subject.dir, 'status'));
    record(figures, 'scan', await looking.does('status'), status);
    record(figures, 'statusAlone', command('status'), status);
    record(
      figures,
      'listAlone',
      command('list'),
      timed(() => git(subject.dir, 'log', '-20')),
    );
    record(figures, 'checkpointAlone', command('checkpoint'), kept.snapshot());
    edited.edit(1);
    record(figures, 'editAlone', command('checkpoint'), kept.snapshot());
    kept.commit();
    edited.edit(1);
    const ours = command('restore', 'last', '--yes');
    edited.edit(1);
    record(figures, 'restoreAlone', ours, kept.restore());
  }
  await looking.end();
}

/** @param {World} world @param {Contenders} contenders */
async function growth({ figures }, { staying, stayingHome, kept, edited }) {
  kept.commit();
  await staying.does('checkpoint');
  await staying.does('idle');
  const used = () => ({ ours: bytesOnDisk(stayingHome), theirs: bytesOnDisk(kept.folder) });
  const before = used();
  for (let made = 0; made < CHECKPOINTS_OF_GROWTH; made++) {
    edited.edit(atMostHalf(EDITS_OF_GROWTH, edited));
    await staying.does('checkpoint');
    kept.commit();
  }
  await staying.does('idle');
  const after = used();
  record(figures, 'growth', (after.ours - before.ours) / 1e6, (after.theirs - before.theirs) / 1e6);
}

/** @param {World} world @param {Contenders} contenders */
async function throughDaemon({ base, subject, runs, figures }, { kept, edited }) {
  if (process.platform === 'win32') return;
  const daemon = await startDaemon({ base: join(base, 'daemon'), project: subject.dir });
  const command = (/** @type {string[]} */ ...args) => savepoint(subject.dir, daemon.env, ...args).ms;
  // It watches a folder from its first hook on.
  for (const wait of [0, STABLE_AFTER_MS]) {
    await sleep(wait);
    command('checkpoint');
    await daemon.asked('PreToolUse');
    await daemon.asked('PostToolUse');
  }
  for (let run = 0; run < runs * SHORT_RUNS; run++) {
    record(
      figures,
      'statusDaemon',
      command('status'),
      timed(() => git(subject.dir, 'status')),
    );
    record(
      figures,
      'listDaemon',
      command('list'),
      timed(() => git(subject.dir, 'log', '-20')),
    );
    kept.snapshot();
    record(figures, 'hookBefore', daemon.whole('PreToolUse'), kept.snapshot());
    edited.edit(1);
    record(figures, 'hookAfter', daemon.whole('PostToolUse'), kept.snapshot());
  }
  for (let run = 0; run < runs; run++) {
    record(figures, 'checkpointDaemon', command('checkpoint'), kept.snapshot());
    edited.edit(1);
    record(figures, 'editDaemon', command('checkpoint'), kept.snapshot());
  }
  record(figures, 'memoryDaemon', peakMbOf(daemon.pid), null);
  await daemon.end();
}

/** @param {number} files @param {EditedFiles} edited */
function atMostHalf(files, edited) {
  return Math.min(files, Math.floor(edited.count / 2));
}

/**
 * Both see the same change. They take turns at being the first to read it.
 * @param {World} world
 * @param {number} run
 * @param {import('./rows.mjs').RowId} id
 * @param {() => Promise<number>} ours
 * @param {() => number} theirs
 */
async function both({ figures }, run, id, ours, theirs) {
  // Otherwise ours would wait for what others wrote and have not flushed.
  flushDisk();
  const early = run % 2 === 0 ? null : theirs();
  const own = await ours();
  record(figures, id, own, early ?? theirs());
}

/**
 * @param {string} dir
 * @param {string | Readonly<Record<string, string>>} home without a daemon, or the environment of one
 * @param {string[]} args
 */
function savepoint(dir, home, ...args) {
  const env = typeof home === 'string' ? { SAVEPOINT_HOME: home, SAVEPOINT_DAEMON: 'off' } : home;
  return wholeCommand([process.execPath, COMMAND, ...args], dir, env);
}

/** @param {number} pid @returns {number | null} null: the system does not tell */
function peakMbOf(pid) {
  if (process.platform !== 'linux') return null;
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return peak === null ? null : Number(peak[1]) / 1024;
}
