// @ts-check
/** Measures the checkpoints of other agents' own programs, beside ours on the same files, in turns. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EditedFiles } from './edited-files.mjs';
import { GEMINI } from './gemini.mjs';
import { startLongLived, startProcess } from './long-lived.mjs';
import { median, showMs, wholeCommand } from './measure.mjs';
import { measureOpencode, OPENCODE_NAME, RUNS_HERE } from './opencode.mjs';
import { makeRepository } from './repository.mjs';

const GEMINI_PROCESS = fileURLToPath(new URL('./gemini-process.mjs', import.meta.url));
const COMMAND = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));
const MANY = 1_000;
/** First checkpoints take seconds. All others are measured more often. */
const SHORT_RUNS = 3;
/** A scan always reads files again that are less than two seconds old. */
const STABLE_AFTER_MS = 2_500;

/** @typedef {{ readonly ours: number[], readonly theirs: number[] }} Pair */

/**
 * @param {{ base: string, runs: number, files: number }} options
 * @returns {Promise<string>} tables in Markdown
 */
export async function measurePeers({ base, runs, files }) {
  const project = join(base, 'peers');
  makeRepository(project, files);
  const edited = new EditedFiles(project);
  const gemini = await besideGemini({ base, project, runs, edited });
  const parts = [
    `${files.toLocaleString('en')} files made up, ${runs} runs, median, with the range in brackets; milliseconds.`,
    '',
    `| | long-lived process | Gemini CLI ${GEMINI.version} itself | ratio |`,
    '|---|---|---|---|',
    ...Object.entries(gemini).map(([what, { ours, theirs }]) => {
      return `| ${what} | ${showMs(ours)} | ${showMs(theirs)} | ${(median(theirs) / median(ours)).toFixed(1)} × |`;
    }),
    '',
  ];
  return [...parts, ...(RUNS_HERE ? besideOpencode({ base, project, runs, edited }) : [])].join('\n');
}

/**
 * @param {{ base: string, project: string, runs: number, edited: EditedFiles }} world
 * @returns {Promise<Record<string, Pair>>}
 */
async function besideGemini({ base, project, runs, edited }) {
  const first = { ours: [], theirs: [] };
  for (let run = 0; run < runs; run++) {
    const homes = [join(base, `peers-home-${run}`), join(base, `peers-gemini-${run}`)];
    const ours = await startLongLived(project, /** @type {string} */ (homes[0]));
    const theirs = await startGemini(project, /** @type {string} */ (homes[1]));
    await add(
      first,
      () => ours.does('checkpoint'),
      async () => (await theirs.does('initialize')) + (await theirs.does('checkpoint')),
    );
    for (const process of [ours, theirs]) await process.end();
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  }
  const ours = await startLongLived(project, join(base, 'peers-home'));
  const theirs = await startGemini(project, join(base, 'peers-gemini'));
  await theirs.does('initialize');
  /** @param {number} count files that change before each measurement */
  const compared = async (count) => {
    /** @type {Pair} */
    const pair = { ours: [], theirs: [] };
    for (let run = 0; run < runs * SHORT_RUNS; run++) {
      await sleep(STABLE_AFTER_MS);
      for (const process of [ours, theirs]) await process.does('checkpoint');
      if (count > 0) edited.edit(count);
      await add(
        pair,
        () => ours.does('checkpoint'),
        () => theirs.does('checkpoint'),
      );
    }
    return pair;
  };
  const many = Math.min(MANY, Math.floor(edited.count / 2));
  const rows = {
    'first checkpoint': first,
    'nothing changed': await compared(0),
    'one edited file': await compared(1),
    [`${many.toLocaleString('en')} edited files`]: await compared(many),
  };
  for (const process of [ours, theirs]) await process.end();
  return rows;
}

/**
 * Whole commands. Most of their time is the start of the program, so there is no ratio.
 * @param {{ base: string, project: string, runs: number, edited: EditedFiles }} world
 */
function besideOpencode({ base, project, runs, edited }) {
  const touch = () => edited.edit(1);
  const theirs = measureOpencode({ base, project, runs, touch });
  /** @type {Record<'first' | 'edited' | 'unchanged', number[]>} */
  const ours = { first: [], edited: [], unchanged: [] };
  for (let run = 0; run < runs; run++) {
    const home = join(base, `peers-command-${run}`);
    const checkpoint = () => {
      const env = { SAVEPOINT_HOME: home, SAVEPOINT_DAEMON: 'off' };
      return wholeCommand([process.execPath, COMMAND, 'checkpoint'], project, env).ms;
    };
    ours.first.push(checkpoint());
    touch();
    ours.edited.push(checkpoint());
    ours.unchanged.push(checkpoint());
    rmSync(home, { recursive: true, force: true });
  }
  return [
    `| | command | ${OPENCODE_NAME} |`,
    '|---|---|---|',
    `| first checkpoint | ${showMs(ours.first)} | ${showMs(theirs.first)} |`,
    `| one edited file | ${showMs(ours.edited)} | ${showMs(theirs.edited)} |`,
    `| nothing changed | ${showMs(ours.unchanged)} | ${showMs(theirs.unchanged)} |`,
    '',
    `- ${OPENCODE_NAME} takes ${showMs(theirs.start)} ms for a snapshot of a single file.`,
    '',
  ];
}

/** @param {string} dir @param {string} home */
function startGemini(dir, home) {
  mkdirSync(home, { recursive: true });
  return startProcess([GEMINI_PROCESS, dir], { GEMINI_CLI_HOME: home });
}

/** @param {Pair} pair @param {() => Promise<number>} ours @param {() => Promise<number>} theirs */
async function add(pair, ours, theirs) {
  pair.ours.push(await ours());
  pair.theirs.push(await theirs());
}
