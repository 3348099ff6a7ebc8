#!/usr/bin/env node
// @ts-check
/**
 * Measures checkpoints and restores, compared with what agents do with git today, and edits of many files, compared
 * with the tools that agents use. Everything runs once on one generated repository.
 * Usage: npm run bench -- [--files N] [--runs N] [--only PART] [--write]
 *   --files   files in the repository, about 4 kB each; default 50,000
 *   --sizes   files in the repositories of the part `speed`; default 1000,10000,50000,200000
 *   --timeline checkpoints on the long timeline of the parts `speed`, `browser` and `studio`; default 10,000
 *   --no-peers in the part `speed`: leave out other programs, so that none has to be installed
 *   --runs    how often each thing is measured (edits three times as often); the median counts; default 3
 *   --only    `checkpoints`, `edits`, `history`, `agents`, `repositories`, `speed`, `truth`, `terminal`,
 *             `transcript`, `browser`, `studio`, `checks`, `copies`, `plans` or `memory`: one of the parts; default all
 *   --megabytes in the part `transcript`: length of the transcripts; default 100
 *   --real    in the part `transcript`: a real transcript as AGENT=FILE, which is repeated; more than one is possible
 *   --clone   in the part `memory`: a repository that is measured instead of a generated one;
 *             in the part `plans`: a repository, of which a plan is made as well; at most 2,000 of its files count;
 *             in the part `studio`: a repository, whose newest commits are turns
 *   --changes in the part `truth`: changes of agents and persons, at least; default 3,000
 *   --seed    in the part `truth`: the first seed; default 1
 *   --no-agents in the part `truth`: leave out the real agents, which need an isolated network and are installed first
 *   --edits   in the part `memory`: edits in a long-lived process; default 3,600, one each second of an hour
 *   --write   writes the results into docs/performance.md
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureGemini } from './gemini.mjs';
import { bytesOnDisk, median, showMs, timed, timedAsync, wholeCommand } from './measure.mjs';
import { ensureOpencode, RUNS_HERE } from './opencode.mjs';
import { change, git, makeRepository, nameOf } from './repository.mjs';
import { ensureRival } from './rival.mjs';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    files: { type: 'string', default: '50000' },
    sizes: { type: 'string', default: '1000,10000,50000,200000' },
    timeline: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '3000' },
    seed: { type: 'string', default: '1' },
    agents: { type: 'boolean', default: true },
    peers: { type: 'boolean', default: true },
    runs: { type: 'string', default: '3' },
    clone: { type: 'string' },
    edits: { type: 'string', default: '3600' },
    only: { type: 'string' },
    megabytes: { type: 'string', default: '100' },
    real: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
  },
});
const FILES = Number(values.files);
const RUNS = Number(values.runs);
/** Parts that make their files themselves. */
const OWN_FILES = 'repositories forks speed truth terminal transcript browser studio checks copies plans memory'.split(
  ' ',
);
const ALL_PARTS = ['checkpoints', 'edits', 'history', 'agents', ...OWN_FILES];
const PARTS = ALL_PARTS.filter((part) => (values.only ?? part) === part);
if (PARTS.length === 0) throw new Error(`--only takes one of ${ALL_PARTS.join(', ')}`);
const MANY = Math.min(1_000, Math.floor(FILES / 4));
const COMMAND = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));
// First, because npm may need the variables that are removed below.
if (PARTS.includes('edits')) ensureRival();
if (PARTS.includes('speed') && values.peers) ensureGemini();
if (PARTS.includes('speed') && values.peers && RUNS_HERE) ensureOpencode();
// Node reads these certificates at every start, and nothing here needs them.
delete process.env['NODE_EXTRA_CA_CERTS'];

const core = await import('@savepoint/core');
const { nodePorts } = await import('@savepoint/core/node');
const { measureBrowser } = await import('./browser.mjs');
const { measureChecks } = await import('./checks.mjs');
const { measureCopies } = await import('./copies.mjs');
const { measureEdits } = await import('./edits.mjs');
const { measureForks } = await import('./forks.mjs');
const { measureHistory } = await import('./history.mjs');
const { measureAgents } = await import('./agents.mjs');
const { measureMemory } = await import('./memory.mjs');
const { measurePlans } = await import('./plans.mjs');
const { measureRepositories } = await import('./repositories.mjs');
const { measureSpeed } = await import('./speed.mjs');
const { measureStudio } = await import('./studio.mjs');
const { measureTerminal } = await import('./terminal.mjs');
const { measureTranscript } = await import('./transcript.mjs');
const { measureTruth } = await import('./truth.mjs');

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {number[]} library milliseconds, one for each run
 * @property {number[]} command
 * @property {Record<string, number[]>} git by the name of the measurement
 */

const base = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-bench-')));
const project = join(base, 'project');
/** @type {Row[]} */
const rows = [];
/** @type {string[]} */
const notes = [];
/** @type {number | null} */
let peakMb = null;
let round = 1;
/** @type {ReturnType<typeof lasting> | undefined} */
let kept;
/** Tables by the name of their markers in docs/performance.md. @type {Record<string, string>} */
const tables = {};

try {
  if (PARTS.some((part) => !OWN_FILES.includes(part))) {
    console.log(`making ${FILES} files …`);
    makeRepository(project, FILES);
  }
  if (PARTS.includes('checkpoints')) {
    await checkpoints();
    tables['figures'] = `${machine()} ${report()}`;
  }
  if (PARTS.includes('edits')) {
    const edits = await measureEdits({ base, runs: RUNS * 3, repository: project, others: FILES });
    tables['figures of edits'] = `${machine()} ${edits}`;
  }
  if (PARTS.includes('history')) {
    tables['figures of history'] = `${machine()} ${await measureHistory({ base, runs: RUNS * 3 })}`;
  }
  if (PARTS.includes('agents')) {
    const agents = await measureAgents({ base, runs: RUNS * 3, repository: project, others: FILES });
    tables['figures of agents'] = `${machine()} ${agents}`;
  }
  if (PARTS.includes('repositories')) {
    const repositories = await measureRepositories({ base, runs: RUNS, files: FILES });
    tables['figures of repositories'] = `${machine()} ${repositories}`;
  }
  if (PARTS.includes('forks')) {
    // Each run makes and removes dozens of copies: three would take half an hour.
    const forks = await measureForks({ base, runs: FILES > 10_000 ? 1 : RUNS, files: FILES });
    tables['figures of forks'] = `${machine()} ${forks}`;
  }
  if (PARTS.includes('speed')) {
    const sizes = values.sizes.split(',').map(Number);
    const speed = await measureSpeed({
      base,
      runs: RUNS * 3,
      sizes,
      timeline: Number(values.timeline),
      peers: values.peers,
    });
    tables['figures of speed'] =
      `${machine()} ${RUNS * 3} runs, median, with the range in brackets; milliseconds.\n\n${speed}`;
  }
  if (PARTS.includes('memory')) {
    const memory = await measureMemory({
      base,
      command: COMMAND,
      clone: values.clone,
      files: FILES,
      edits: Number(values.edits),
    });
    tables['figures of memory'] = `${machine()} ${memory}`;
  }
  if (PARTS.includes('terminal')) {
    tables['figures of the terminal'] = `${machine()}\n\n${await measureTerminal({ base, runs: RUNS })}`;
  }
  if (PARTS.includes('transcript')) {
    const { megabytes, real } = values;
    const transcript = await measureTranscript({ base, megabytes: Number(megabytes), real });
    tables['figures of transcripts'] = `${machine()}\n\n${transcript}`;
  }
  if (PARTS.includes('browser')) {
    const browser = await measureBrowser({ base, runs: RUNS, checkpoints: Number(values.timeline) });
    tables['figures of the browser'] = `${machine()}\n\n${browser}`;
  }
  if (PARTS.includes('studio')) {
    const studio = await measureStudio({
      base,
      runs: RUNS,
      checkpoints: Number(values.timeline),
      command: COMMAND,
      clone: values.clone,
    });
    tables['figures of studio'] = `${machine()}\n\n${studio}`;
  }
  if (PARTS.includes('checks')) {
    const checks = await measureChecks({ base, runs: RUNS * 3, command: COMMAND });
    tables['figures of checks'] = `${machine()} ${checks}`;
  }
  if (PARTS.includes('copies')) {
    const copies = await measureCopies({ base, runs: RUNS, files: FILES });
    tables['figures of copies'] = `${machine()} ${copies}`;
  }
  if (PARTS.includes('plans')) {
    const plans = await measurePlans({ base, runs: RUNS, command: COMMAND, clone: values.clone });
    tables['figures of plans'] = `${machine()} ${plans}`;
  }
  if (PARTS.includes('truth')) {
    tables['figures of attribution'] = await measureTruth({
      seed: Number(values.seed),
      changes: Number(values.changes),
      agents: values.agents,
    });
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}

const file = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
for (const [name, table] of Object.entries(tables)) {
  console.log(`\n${table}`);
  if (!values.write) continue;
  const marks = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*(?=<!-- end of ${name} -->)`);
  const text = readFileSync(file, 'utf8');
  if (!marks.test(text)) throw new Error(`${file} has no place for ${name}`);
  writeFileSync(
    file,
    text.replace(marks, () => `\n${table}\n`),
  );
}

async function checkpoints() {
  const bytes = bytesOnDisk(join(project, 'src'));
  notes.push(`${FILES.toLocaleString('en')} files, ${mb(bytes)} on disk without \`.git\``);
  await firstCheckpoint();
  await steady('nothing changed', 0);
  await steady('one file changed', 1);
  await steady(`${MANY} files changed`, MANY);
  await restores('restore of one file', 1);
  await restores(`restore of ${MANY} files`, MANY);
  await disk(bytes);
}

/** @param {string} home */
function library(home) {
  return core.open({
    dir: /** @type {import('@savepoint/core').DiskPath} */ (project),
    ports: nodePorts(),
    places: { home: /** @type {import('@savepoint/core').DiskPath} */ (home), userHome: null, globalIgnore: null },
  });
}

/**
 * @param {string} home
 * @param {string[]} args
 */
function command(home, ...args) {
  const { ms, peakMb: peak } = wholeCommand([process.execPath, COMMAND, ...args], project, { SAVEPOINT_HOME: home });
  if (peak !== null) peakMb = Math.max(peakMb ?? 0, peak);
  return ms;
}

/** A shadow repository next to the project, as agents keep one today. @param {string} name */
function shadow(name) {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  const gitDir = join(folder, 'shadow.git');
  const run = (/** @type {string[]} */ ...args) =>
    git(project, `--git-dir=${gitDir}`, `--work-tree=${project}`, ...args);
  run('init', '-q');
  return { run, gitDir };
}

/**
 * @param {(...args: string[]) => unknown} run
 * @param {string[][]} commands
 */
function each(run, ...commands) {
  for (const args of commands) run(...args);
}

async function firstCheckpoint() {
  /** @type {Row} */
  const row = { what: 'first checkpoint', library: [], command: [], git: { 'add -A, write-tree': [] } };
  for (let run = 0; run < RUNS; run++) {
    const homes = [join(base, `first-${run}`), join(base, `first-command-${run}`)];
    row.library.push(await timedAsync(() => library(/** @type {string} */ (homes[0])).checkpoint()));
    row.command.push(command(/** @type {string} */ (homes[1]), 'checkpoint'));
    const { run: inShadow } = shadow(`shadow-first-${run}`);
    row.git['add -A, write-tree']?.push(timed(() => each(inShadow, ['add', '-A'], ['write-tree'])));
    if (run === 0)
      notes.push(
        `a first checkpoint takes ${mb(bytesOnDisk(/** @type {string} */ (homes[0])))} of disk, the private git repository ${mb(bytesOnDisk(join(base, 'shadow-first-0')))}`,
      );
    for (const name of [...homes, join(base, `shadow-first-${run}`)]) rmSync(name, { recursive: true, force: true });
  }
  rows.push(row);
}

/** State that is kept between measurements. */
function lasting() {
  const home = join(base, 'home');
  const inShadow = shadow('shadow').run;
  return { home, inShadow };
}

async function warmStores() {
  if (kept !== undefined) return kept;
  kept = lasting();
  await library(kept.home).checkpoint();
  kept.inShadow('add', '-A');
  kept.inShadow('commit', '-q', '-m', 'first');
  // A scan always reads files again that are less than two seconds old.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await library(kept.home).checkpoint();
  kept.inShadow('add', '-A');
  return kept;
}

/**
 * @param {string} what
 * @param {number} count files that change before each measurement
 */
async function steady(what, count) {
  const { home, inShadow } = await warmStores();
  /** @type {Row} */
  const row = {
    what,
    library: [],
    command: [],
    git: { 'add -A, write-tree': [], 'add -A, commit': [], 'stash create': [] },
  };
  /** @param {(string)} column @param {() => unknown} work */
  const measured = async (column, work) => {
    change(project, FILES, count, round++);
    row.git[column]?.push(timed(work));
  };
  for (let run = 0; run < RUNS; run++) {
    change(project, FILES, count, round++);
    row.library.push(await timedAsync(() => library(home).checkpoint()));
    change(project, FILES, count, round++);
    row.command.push(command(home, 'checkpoint'));
    await measured('add -A, write-tree', () => each(inShadow, ['add', '-A'], ['write-tree']));
    await measured('add -A, commit', () => each(inShadow, ['add', '-A'], ['commit', '-q', '--allow-empty', '-m', 'x']));
    await measured('stash create', () => git(project, 'stash', 'create'));
  }
  rows.push(row);
}

/**
 * @param {string} what
 * @param {number} count files that are restored
 */
async function restores(what, count) {
  const { home, inShadow } = await warmStores();
  /** @type {Row} */
  const row = { what, library: [], command: [], git: { 'restore, clean': [] } };
  const { checkpoint } = await library(home).checkpoint();
  inShadow('add', '-A');
  inShadow('commit', '-q', '--allow-empty', '-m', 'before');
  for (let run = 0; run < RUNS; run++) {
    change(project, FILES, count, round++);
    row.library.push(await timedAsync(() => library(home).restore(checkpoint.id)));
    change(project, FILES, count, round++);
    row.command.push(command(home, 'restore', checkpoint.id, '--yes'));
    change(project, FILES, count, round++);
    row.git['restore, clean']?.push(
      timed(() => each(inShadow, ['restore', '--source=HEAD', '--staged', '--worktree', '--', '.'], ['clean', '-fdq'])),
    );
  }
  rows.push(row);
}

/** Disk usage of ordinary work: a checkpoint after every few edits. @param {number} projectBytes */
async function disk(projectBytes) {
  const home = join(base, 'disk');
  const savepoint = library(home);
  await savepoint.checkpoint();
  const first = bytesOnDisk(home);
  for (let at = 0; at < 50; at++) {
    change(project, FILES, 8, round++);
    writeFileSync(join(project, nameOf(at)), `// ${at}\n`);
    await savepoint.checkpoint();
  }
  const grown = bytesOnDisk(home) - first;
  notes.push(
    `50 checkpoints after nine edits each add ${mb(grown)} to the ${mb(first)} of the first (the files: ${mb(projectBytes)})`,
  );
}

function machine() {
  const cpu = cpus()[0]?.model ?? 'unknown';
  return `Node ${process.version}, git ${git('.', '--version').replace('git version ', '')}, ${process.platform} ${release()}, ${cpus().length} cores (${cpu}), ${Math.round(totalmem() / 2 ** 30)} GiB.`;
}

function report() {
  const columns = ['add -A, write-tree', 'add -A, commit', 'restore, clean', 'stash create'];
  const heads = ['', 'library', 'command', ...columns.map((name) => `git ${name}`), 'library against git'];
  const lines = rows.map((row) => {
    const rival = row.git['add -A, write-tree'] ?? row.git['restore, clean'] ?? [];
    const ratio = median(row.library) / median(rival);
    const cells = columns.map((name) => showMs(row.git[name]));
    return [row.what, showMs(row.library), showMs(row.command), ...cells, `${ratio.toFixed(2)} ×`];
  });
  return [
    `${RUNS} runs, median, with the range in brackets; milliseconds.`,
    '',
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...notes.map((note) => `- ${note}.`),
    `- peak memory of a command: ${peakMb === null ? 'not measured, GNU time is missing' : `${Math.round(peakMb)} MB`}.`,
    '',
  ].join('\n');
}

/** @param {number} bytes */
function mb(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
