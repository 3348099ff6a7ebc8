// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDaemon } from './daemon.mjs';
import { GEMINI } from './gemini.mjs';
import { bytesOnDisk, median, showMs, timed, wholeCommand } from './measure.mjs';
import { measureOpencode, OPENCODE_NAME, RUNS_HERE } from './opencode.mjs';
import { change, git, makeRepository } from './repository.mjs';

/**
 * Costs in a long-lived process at several sizes, compared with the raw limit and with the fastest git-based approach
 * that agents use today. All contenders of one size take turns.
 */

const PROCESS = fileURLToPath(new URL('./long-lived-process.mjs', import.meta.url));
const GEMINI_PROCESS = fileURLToPath(new URL('./gemini-process.mjs', import.meta.url));
const COMMAND = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));
const MANY = 1_000;
const SHORT_TIMELINE = 10;
const HOOKS_A_RUN = 10;
/** A scan always reads files again that are less than two seconds old. */
const STABLE_AFTER_MS = 2_500;
/** Number of files. With more, Gemini CLI's first snapshot alone takes longer than everything else together. */
const MAX_FILES_FOR_PEERS = 50_000;
const GEMINI_NAME = `Gemini CLI ${GEMINI.version} itself`;

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {number[]} ours milliseconds, one for each run; empty if whole commands are compared, because most of their
 * time is program start
 * @property {number[]} [command] the whole command
 * @property {number[]} rival
 * @property {string} against
 */

/**
 * @param {{ base: string, runs: number, sizes: readonly number[], timeline: number, peers: boolean }} options
 * `timeline`: checkpoints on a long timeline; `peers`: also measure other programs
 * @returns {Promise<string>} a table for each size, and one for the timeline
 */
export async function measureSpeed({ base, runs, sizes, timeline, peers }) {
  const parts = [];
  for (const size of sizes) {
    parts.push(await atSize(join(base, `speed-${size}`), size, runs, peers && size <= MAX_FILES_FOR_PEERS));
  }
  parts.push(await longTimeline(join(base, 'speed-timeline'), runs, timeline));
  return parts.join('\n');
}

/**
 * @param {string} base
 * @param {number} size in files
 * @param {number} runs
 * @param {boolean} peers
 */
async function atSize(base, size, runs, peers) {
  const project = join(base, 'project');
  mkdirSync(base, { recursive: true });
  makeRepository(project, size);
  /** @type {Row[]} */
  const rows = [];
  const notes = [];
  let round = 1;
  const touch = (/** @type {number} */ count) => change(project, size, count, round++);

  /** @type {Row} */
  const first = {
    what: 'first checkpoint',
    ours: [],
    command: [],
    rival: [],
    against: 'a fresh `add -A`, `write-tree`',
  };
  /** @type {number[]} */
  const geminiFirst = [];
  let peak = 0;
  for (let run = 0; run < Math.min(runs, 3); run++) {
    const homes = [join(base, `home-${run}`), join(base, `home-command-${run}`)];
    const process = await start(project, /** @type {string} */ (homes[0]));
    first.ours.push(await process.does('checkpoint'));
    peak = Math.max(peak, await process.end());
    first.command?.push(command(project, /** @type {string} */ (homes[1]), 'checkpoint'));
    const fresh = shadow(base, project, `fresh-${run}`);
    first.rival.push(timed(() => fresh.each(['add', '-A'], ['write-tree'])));
    if (run === 0) {
      const ours = bytesOnDisk(/** @type {string} */ (homes[0]));
      notes.push(`disk space used: ${mb(ours)}; private git repository: ${mb(bytesOnDisk(fresh.folder))}`);
    }
    if (peers) {
      const gemini = await startGemini(project, join(base, `gemini-${run}`));
      geminiFirst.push((await gemini.does('initialize')) + (await gemini.does('checkpoint')));
      await gemini.end();
      rmSync(join(base, `gemini-${run}`), { recursive: true, force: true });
    }
    for (const folder of [...homes, fresh.folder]) rmSync(folder, { recursive: true, force: true });
  }
  rows.push(first);
  if (peers) rows.push({ what: first.what, ours: first.ours, rival: geminiFirst, against: GEMINI_NAME });

  const kept = shadow(base, project, 'kept');
  kept.each(['add', '-A'], ['commit', '-q', '-m', 'first']);
  const staying = await start(project, join(base, 'home'));
  const looking = await start(project, join(base, 'home-looking'), { BENCH_WATCH: 'off' });
  const home = join(base, 'home-command');
  for (const process of [staying, looking]) await process.does('checkpoint');
  command(project, home, 'checkpoint');
  await sleep(STABLE_AFTER_MS);
  for (const process of [staying, looking]) await process.does('checkpoint');
  command(project, home, 'checkpoint');
  kept.each(['add', '-A']);
  const gemini = peers ? await startGemini(project, join(base, 'gemini')) : null;
  await gemini?.does('initialize');
  await gemini?.does('checkpoint');
  await staying.does('idle');

  // Each is measured alone: before its measurement it catches up with what the others changed.
  const contenders = {
    ours: {
      ready: async () => {
        // An index entry that another contender has just written is too young to be trusted and is read again each
        // time.
        await sleep(STABLE_AFTER_MS);
        await staying.does('checkpoint');
      },
      does: (/** @type {string} */ work) => staying.does(work),
    },
    command: {
      ready: () => command(project, home, 'checkpoint'),
      does: () => command(project, home, 'checkpoint'),
    },
    '`add -A`, `write-tree`': {
      ready: () => kept.each(['add', '-A']),
      does: () => timed(() => kept.each(['add', '-A'], ['write-tree'])),
    },
    '`stash create`': {
      ready: () => git(project, 'stash', 'create'),
      does: () => timed(() => git(project, 'stash', 'create')),
    },
    ...(gemini !== null && {
      gemini: { ready: () => gemini.does('checkpoint'), does: () => gemini.does('checkpoint') },
    }),
  };
  /** @param {string} what @param {number} count @param {string} work */
  const compare = async (what, count, work) => {
    /** @type {Record<string, number[]>} */
    const times = {};
    for (let run = 0; run < runs; run++) {
      for (const [name, { ready, does }] of Object.entries(contenders)) {
        await ready();
        touch(count);
        times[name] = [...(times[name] ?? []), await does(work)];
      }
    }
    const { ours = [], command: commandMs = [], gemini: peer = [], ...rivals } = times;
    const [name, rival] = /** @type {[string, number[]]} */ (
      Object.entries(rivals).sort(([, a], [, b]) => median(a) - median(b))[0]
    );
    rows.push({ what, ours, command: commandMs, rival, against: name });
    if (peers) rows.push({ what, ours, rival: peer, against: GEMINI_NAME });
  };
  await compare('one edited file', 1, 'checkpoint');
  await compare('nothing changed', 0, 'look');
  if (size >= 4 * MANY) await compare(`${MANY.toLocaleString('en')} changed files`, MANY, 'checkpoint');

  /** @type {Row} */
  const scan = {
    what: 'scan, nothing changed, no watcher',
    ours: [],
    rival: [],
    against: '`readdir` and `lstat` of every file',
  };
  /** @type {Row} */
  const write = {
    what: 'one edited file, against a bare write',
    ours: [],
    rival: [],
    against: 'one new file with its bytes, fsynced',
  };
  await looking.does('checkpoint');
  for (let run = 0; run < runs; run++) {
    scan.ours.push(await looking.does('status'));
    scan.rival.push(timed(() => look(project)));
  }
  for (let run = 0; run < runs; run++) {
    await staying.does('checkpoint');
    touch(1);
    write.ours.push(await staying.does('checkpoint'));
    write.rival.push(timed(() => writeDurably(join(base, `raw-${run}`), 4_000)));
  }
  rows.push(scan, write);

  /** @type {Row} */
  const back = { what: 'restore of one file', ours: [], command: [], rival: [], against: '`restore`, `clean`' };
  for (let run = 0; run < runs; run++) {
    await staying.does('checkpoint');
    touch(1);
    back.ours.push(await staying.does('restore'));
    command(project, home, 'checkpoint');
    touch(1);
    back.command?.push(command(project, home, 'restore', 'last', '--yes'));
    kept.each(['add', '-A'], ['commit', '-q', '--allow-empty', '-m', 'before']);
    touch(1);
    back.rival.push(
      timed(() => kept.each(['restore', '--source=HEAD', '--staged', '--worktree', '--', '.'], ['clean', '-fdq'])),
    );
  }
  rows.push(back);
  peak = Math.max(peak, await staying.end());
  await looking.end();
  await gemini?.end();
  rows.push(...(await throughDaemon(base, project, runs, () => touch(1))));
  if (peers && RUNS_HERE) {
    const theirs = measureOpencode({ base, project, runs, touch: () => touch(1) });
    const commandOf = (/** @type {string} */ what) => rows.find((row) => row.what === what)?.command ?? [];
    for (const [what, rival] of /** @type {const} */ ([
      ['first checkpoint', theirs.first],
      ['one edited file', theirs.edited],
      ['nothing changed', theirs.unchanged],
    ])) {
      rows.push({ what, ours: [], command: commandOf(what), rival, against: OPENCODE_NAME });
    }
    notes.push(`${OPENCODE_NAME} takes ${showMs(theirs.start)} ms for a snapshot of a single file`);
  }
  rmSync(base, { recursive: true, force: true });
  notes.push(`peak memory of a long-lived process: ${Math.round(peak)} MB`);
  return table(`${size.toLocaleString('en')} files`, rows, notes);
}

/**
 * Measures what a hook waits for: the daemon alone, and all processes of its command line. Compared with the same hook
 * as a command.
 * @param {string} base
 * @param {string} project
 * @param {number} runs
 * @param {() => void} edit
 * @returns {Promise<Row[]>}
 */
async function throughDaemon(base, project, runs, edit) {
  if (process.platform === 'win32') return [];
  mkdirSync(join(base, 'daemon'));
  const daemon = await startDaemon({ base: join(base, 'daemon'), project });
  const against = 'the hook without it';
  /** @type {Row} */
  const before = { what: 'hook through the daemon, nothing changed', ours: [], command: [], rival: [], against };
  /** @type {Row} */
  const after = { what: 'hook through the daemon, one edited file', ours: [], command: [], rival: [], against };
  await daemon.asked('PreToolUse');
  await daemon.asked('PostToolUse');
  await sleep(STABLE_AFTER_MS);
  /** @param {Row} row @param {'PreToolUse' | 'PostToolUse'} name */
  const each = (row, name) => ({
    asked: async () => row.ours.push(await daemon.asked(name)),
    whole: () => row.command?.push(daemon.whole(name)),
    alone: () => row.rival.push(daemon.whole(name, { SAVEPOINT_DAEMON: 'off' })),
  });
  const begin = each(before, 'PreToolUse');
  const end = each(after, 'PostToolUse');
  for (const way of /** @type {const} */ (['asked', 'whole'])) {
    for (let run = 0; run < runs * HOOKS_A_RUN; run++) {
      await begin[way]();
      edit();
      await end[way]();
    }
  }
  for (let run = 0; run < runs; run++) {
    begin.alone();
    edit();
    end.alone();
  }
  await daemon.end();
  return [before, after];
}

/**
 * @param {string} base
 * @param {number} runs
 * @param {number} long
 */
async function longTimeline(base, runs, long) {
  /** @type {Record<string, number[][]>} */
  const times = { list: [], show: [], diff: [] };
  for (const length of [SHORT_TIMELINE, long]) {
    const project = join(base, `project-${length}`);
    makeRepository(project, 100);
    const process = await start(project, join(base, `home-${length}`));
    for (let made = 0; made < length; made++) {
      writeFileSync(join(project, 'changing.txt'), `${made}\n`);
      await process.does('checkpoint');
    }
    await process.does('idle');
    for (const [work, columns] of Object.entries(times)) {
      const column = [];
      for (let run = 0; run < runs; run++) column.push(await process.does(work));
      columns.push(column);
    }
    await process.end();
  }
  rmSync(base, { recursive: true, force: true });
  const lines = Object.entries(times).map(([work, [few = [], many = []]]) => {
    return `| ${work} | ${showMs(many)} | ${showMs(few)} | ${(median(many) / median(few)).toFixed(2)} × |`;
  });
  return [
    `| | with ${long.toLocaleString('en')} checkpoints | with ${SHORT_TIMELINE} | ratio |`,
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/** @param {string} head @param {readonly Row[]} rows @param {readonly string[]} notes */
function table(head, rows, notes) {
  const lines = rows.map(({ what, ours, command: commandMs, rival, against }) => {
    const ratio = median(rival) / median(ours);
    const spread = ours.map((ms, run) => (rival[run % rival.length] ?? 0) / ms);
    const times = (/** @type {number} */ x) => (x < 10 ? x.toFixed(2) : x.toFixed(0));
    const shown =
      ours.length === 0 ? '' : `${times(ratio)} × (${times(Math.min(...spread))}–${times(Math.max(...spread))})`;
    return `| ${what} | ${showMs(ours)} | ${showMs(commandMs)} | ${against}: ${showMs(rival)} | ${shown} |`;
  });
  return [
    `| ${head} | long-lived process | command | compared with | speed-up |`,
    '|---|---|---|---|---|',
    ...lines,
    '',
    ...notes.map((note) => `- ${note}.`),
    '',
  ].join('\n');
}

/**
 * @param {string} dir
 * @param {string} home
 * @param {Record<string, string>} [env]
 */
function start(dir, home, env = {}) {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  // With the same options as the daemon.
  return asked(['--max-semi-space-size=4', PROCESS, dir, home], env);
}

/** @param {string} dir @param {string} home */
function startGemini(dir, home) {
  mkdirSync(home, { recursive: true });
  return asked([GEMINI_PROCESS, dir], { GEMINI_CLI_HOME: home });
}

/**
 * Starts a process that takes work requests line by line.
 * @param {string[]} script preceded by node's own options
 * @param {Record<string, string>} env
 */
async function asked(script, env) {
  const child = spawn(process.execPath, script, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout });
  let peak = 0;
  return {
    /** @param {string} work @returns {Promise<number>} milliseconds */
    async does(work) {
      const answer = once(answers, 'line');
      child.stdin.write(`${work}\n`);
      const { ms, peakMb } = JSON.parse(String((await answer)[0]));
      peak = peakMb;
      return ms;
    },
    /** @returns {Promise<number>} peak memory in MB */
    async end() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
      return peak;
    },
  };
}

/** @param {string} project @param {string} home @param {string[]} args */
function command(project, home, ...args) {
  return wholeCommand([process.execPath, COMMAND, ...args], project, { SAVEPOINT_HOME: home }).ms;
}

/** A shadow repository next to the project. @param {string} base @param {string} project @param {string} name */
function shadow(base, project, name) {
  const folder = join(base, name);
  const gitDir = join(folder, 'shadow.git');
  mkdirSync(folder, { recursive: true });
  const run = (/** @type {string[]} */ ...args) =>
    git(project, `--git-dir=${gitDir}`, `--work-tree=${project}`, ...args);
  run('init', '-q');
  return {
    folder,
    each: (/** @type {string[][]} */ ...commands) => {
      for (const args of commands) run(...args);
    },
  };
}

/** @param {string} folder */
function look(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === '.git') continue;
    const path = join(folder, entry.name);
    lstatSync(path);
    if (entry.isDirectory()) look(path);
  }
}

/** @param {string} file @param {number} bytes */
function writeDurably(file, bytes) {
  const fd = openSync(file, 'w');
  writeSync(fd, 'x'.repeat(bytes));
  fsyncSync(fd);
  closeSync(fd);
}

/** @param {number} bytes */
function mb(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
