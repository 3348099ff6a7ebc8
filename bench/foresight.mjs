// @ts-check
/**
 * Measures the analysis of code in a large clone: findings, cold and warm, as a whole command and in a process that stays;
 * a plan; how fast it is cancelled; and the map.
 *
 *   node bench/foresight.mjs --repo DIR [--runs N]
 *
 * `DIR` is a git directory or a checkout, and is copied first. Needs Linux and `npm run build`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ProcessTree } from './foresight/process-tree.mjs';
import { StayingProcess } from './foresight/staying-process.mjs';
import { median } from './measure.mjs';

const PLAN_FILES = 30;
const CANCEL_AFTER_MS = 100;
const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|rb|php|cs)$/;

const COMMAND = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));

/** @typedef {import('./foresight/staying-process.mjs').Taken} Taken */

const { values } = parseArgs({ options: { repo: { type: 'string' }, runs: { type: 'string', default: '5' } } });
if (values.repo === undefined) throw new Error('--repo is needed');
const runs = Number(values.runs);
const base = mkdtempSync(join(tmpdir(), 'savepoint-foresight-'));
const dir = join(base, 'clone');
/** @type {[what: string, seconds: string, cpu: string, found: string][]} */
const rows = [];
/** @type {string[]} */
const notes = [];
let homes = 0;
/** Of the last command. @type {ProcessTree | null} */
let lastTree = null;

try {
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', resolve(values.repo), dir]);
  const sources = sourcesOf(dir);
  await wholeCommands(sources);
  await processThatStays(sources);
  await cancelling();
  await mapOfProcess(sources);
  print(sources);
} finally {
  rmSync(base, { recursive: true, force: true });
}

/** @param {readonly string[]} sources */
async function wholeCommands(sources) {
  const home = await newHome();
  const undo = edit(sources, 0);
  add('command: `findings`, cold, one edited file', [await command(home, 'findings')], true);
  add('command: `findings`, warm', await repeated(() => command(home, 'findings')));
  add('command: `map`, warm', await repeated(() => command(home, 'map')));
  undo();
  add('command: `map`, cold', [await command(await newHome(), 'map')], true);
}

/** @param {readonly string[]} sources */
async function processThatStays(sources) {
  const home = await newHome();
  makePlan(sources, home);
  const stays = new StayingProcess(dir, home);
  // Its start, and what it watches.
  await stays.ask('checkpoint');
  const undo = edit(sources, 0);
  add('process: `findings`, cold, one edited file', [await stays.ask('findings', {})]);
  undo();
  noteMemory('the process after a cold `findings`', stays.tree);
  await stays.ask('findings', {});
  add('process: `findings`, nothing changed', await repeated(() => stays.ask('findings', {})));
  let at = 1;
  add(
    'process: `findings`, one edited file',
    await repeated(async () => {
      const undoOne = edit(sources, at++);
      const taken = await stays.ask('findings', {});
      undoOne();
      return taken;
    }),
  );
  add(`process: \`findings\` of a plan of ${PLAN_FILES} files`, [await stays.ask('findings', { plan: 'last' })]);
  add('process: the same again', await repeated(() => stays.ask('findings', { plan: 'last' })));
  await stays.end();
}

async function cancelling() {
  /** @type {Taken[]} */
  const taken = [];
  for (let run = 0; run < runs; run++) {
    const stays = new StayingProcess(dir, await newHome());
    await stays.ask('checkpoint');
    taken.push(await stays.ask('cancel', CANCEL_AFTER_MS));
    await stays.end();
  }
  add(`process: a cold \`findings\`, cancelled after ${CANCEL_AFTER_MS} ms, until it ends`, taken);
}

/** @param {readonly string[]} sources */
async function mapOfProcess(sources) {
  const stays = new StayingProcess(dir, await newHome());
  await stays.ask('checkpoint');
  add('process: `map`, cold', [await stays.ask('map', {})]);
  noteMemory('the process after a cold `map`', stays.tree);
  await stays.ask('map', {});
  add('process: `map`, warm', await repeated(() => stays.ask('map', {})));
  let at = 1;
  add(
    'process: `map`, one edited file',
    await repeated(async () => {
      const undo = edit(sources, at++);
      const taken = await stays.ask('map', {});
      undo();
      return taken;
    }),
  );
  add('process: `map`, one file in focus', await repeated(() => stays.ask('map', { focus: [sources[at++ * 7]] })));
  await stays.end();
}

/** A home with a checkpoint of the clone. */
async function newHome() {
  const home = join(base, `home-${homes++}`);
  mkdirSync(home, { mode: 0o700 });
  await command(home, 'checkpoint');
  return home;
}

/** Changes 30 files, writes the plan of it, and undoes it. @param {readonly string[]} sources @param {string} home */
function makePlan(sources, home) {
  const patch = join(base, 'plan.patch');
  const step = Math.max(1, Math.floor(sources.length / PLAN_FILES));
  const undo = Array.from({ length: PLAN_FILES }, (_, nth) => edit(sources, nth * step));
  writeFileSync(patch, execFileSync('git', ['diff', '--binary'], { cwd: dir, maxBuffer: 1 << 28 }));
  for (const one of undo) one();
  execFileSync(process.execPath, [COMMAND, 'plan', 'new', patch, '-m', 'change names'], { cwd: dir, env: envOf(home) });
}

/** Renames the first definition that other files may import. @param {readonly string[]} sources @param {number} nth */
function edit(sources, nth) {
  const path = join(dir, /** @type {string} */ (sources[nth % sources.length]));
  const text = readFileSync(path, 'utf8');
  const renamed = text.replace(
    /^((?:export (?:default )?)?(?:async )?(?:function|class|const|def) )(\w+)/m,
    '$1$2Renamed',
  );
  writeFileSync(path, `${renamed}\n`);
  return () => writeFileSync(path, text);
}

/** Runs a command with everything that it starts. @param {string} home @param {string[]} args @returns {Promise<Taken>} */
async function command(home, ...args) {
  const started = performance.now();
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd: dir, env: envOf(home), stdio: 'ignore' });
  const tree = new ProcessTree(/** @type {number} */ (child.pid));
  const code = await new Promise((done) => child.on('exit', done));
  const ms = performance.now() - started;
  tree.stop();
  // `findings` ends with 1 if it has some that are proven.
  if (code !== 0 && code !== 1) throw new Error(`savepoint ${args.join(' ')} ended with ${code}`);
  lastTree = tree;
  return { ms, cpu: tree.cpu, found: null };
}

/** @param {() => Promise<Taken>} work */
async function repeated(work) {
  /** @type {Taken[]} */
  const taken = [];
  for (let run = 0; run < runs; run++) taken.push(await work());
  return taken;
}

/** @param {string} what @param {readonly Taken[]} taken @param {boolean} [isCommand] whose memory is noted */
function add(what, taken, isCommand = false) {
  const found = taken.at(-1)?.found;
  rows.push([what, shown(taken.map(({ ms }) => ms / 1_000)), shown(taken.map(({ cpu }) => cpu)), `${found ?? ''}`]);
  if (isCommand && lastTree !== null) noteMemory(what, lastTree);
  console.error(rows.at(-1)?.join(' | '));
}

/** @param {string} what @param {ProcessTree} tree */
function noteMemory(what, tree) {
  const { own, others } = tree.peakMb;
  const readers =
    others.length === 0 ? 'no readers' : `its readers ${others.map((mb) => mb.toFixed(0)).join(' and ')} MB`;
  notes.push(`peak memory of ${what}: ${own.toFixed(0)} MB, ${readers}.`);
}

/** @param {readonly number[]} seconds */
function shown(seconds) {
  const one = (/** @type {number} */ value) => value.toFixed(value < 1 ? 3 : 2);
  const range = seconds.length === 1 ? '' : ` (${one(Math.min(...seconds))}–${one(Math.max(...seconds))})`;
  return one(median(seconds)) + range;
}

/** @param {string} folder */
function sourcesOf(folder) {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  return names.split('\0').filter((name) => SOURCE.test(name));
}

/** @param {string} home @returns {NodeJS.ProcessEnv} */
function envOf(home) {
  return { ...process.env, SAVEPOINT_HOME: home, SAVEPOINT_DAEMON: 'off' };
}

/** @param {readonly string[]} sources */
function print(sources) {
  const repo = resolve(/** @type {string} */ (values.repo));
  const name = basename(repo) === 'repo' ? basename(dirname(repo)).replace('+', '/') : basename(repo);
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: dir, encoding: 'utf8' }).trim();
  const load = loadavg()
    .map((one) => one.toFixed(1))
    .join(', ');
  console.log(
    [
      `${name} at ${commit}: ${sources.length.toLocaleString('en')} source files. Node ${process.version}, ${cpus().length} cores, load average ${load}. ${runs} runs, median, with the range in brackets; cold ones ran once.`,
      '',
      '| | seconds | processor seconds | findings, or files |',
      '|---|---|---|---|',
      ...rows.map((cells) => `| ${cells.join(' | ')} |`),
      '',
      ...notes.map((note) => `- ${note}`),
    ].join('\n'),
  );
}
