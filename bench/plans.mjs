// @ts-check
/**
 * Measures plans of many files: whole commands that list and show one, and its review in a pseudo-terminal. Once with files
 * that are made up, and once with those of a clone if there is one.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DRAWN, KeyedTerminal } from './keyed-terminal.mjs';
import { showMs, wholeCommand } from './measure.mjs';
import { git } from './repository.mjs';

const FILES = 2_000;
const LINES = 100;
const KEYS = 100;
const PAUSE_MS = 20;
const TEXT = /\.(ts|tsx|js|mjs|jsx|json|md|mdx|rs|go|py|c|h|java|rb|yml|yaml|toml)$/;

/**
 * @param {{ base: string, runs: number, command: string, clone: string | undefined }} options
 * @returns {Promise<string>} a table in Markdown
 */
export async function measurePlans({ base, runs, command, clone }) {
  const made = join(base, 'plans-made');
  makeFiles(made);
  const found = [await measured({ name: 'made up', dir: made, base, runs, command })];
  if (clone !== undefined) {
    const dir = join(base, 'plans-clone');
    git(base, 'clone', '--quiet', '--no-hardlinks', clone, dir);
    found.push(await measured({ name: 'of a clone', dir, base, runs, command }));
  }
  const row = (/** @type {string} */ what, /** @type {keyof Figures} */ key) =>
    `| ${what} | ${found.map((one) => showMs(one.figures[key])).join(' | ')} |`;
  return [
    `${runs} runs, ${KEYS} keys each; median, with the range in brackets; milliseconds.`,
    '',
    `| | ${found.map(({ name, files }) => `${files.toLocaleString('en')} files ${name}`).join(' | ')} |`,
    `|---|${found.map(() => '---|').join('')}`,
    row('`savepoint --version`', 'start'),
    row('`savepoint plan list`', 'list'),
    row('`savepoint plan show`', 'show'),
    row('`savepoint plan show --json`', 'json'),
    row('review: from the start until the plan is shown', 'open'),
    row('review: until the first diff is shown', 'walk'),
    row('review: a key to the next file', 'next'),
    row('review: a key that decides, until it is recorded', 'decide'),
    row('review: to the last page', 'summary'),
    row('review: approval, until the end of the process', 'approve'),
    '',
  ].join('\n');
}

/** @typedef {Record<'start' | 'list' | 'show' | 'json' | 'open' | 'walk' | 'next' | 'decide' | 'summary' | 'approve', number[]>} Figures */

/**
 * @param {{ name: string, dir: string, base: string, runs: number, command: string }} options
 * @returns {Promise<{ name: string, files: number, figures: Figures }>}
 */
async function measured({ name, dir, base, runs, command }) {
  const home = `${dir}-home`;
  mkdirSync(home, { mode: 0o700 });
  const patch = join(base, 'plan.patch');
  const files = makePatch(dir, patch);
  const run = (/** @type {string[]} */ ...args) =>
    wholeCommand([process.execPath, command, ...args], dir, { SAVEPOINT_HOME: home }).ms;
  /** @type {Figures} */
  const figures = {
    start: [],
    list: [],
    show: [],
    json: [],
    open: [],
    walk: [],
    next: [],
    decide: [],
    summary: [],
    approve: [],
  };
  run('plan', 'new', patch, '-m', 'Change two lines of every file');
  for (let n = 0; n < runs; n++) {
    figures.start.push(run('--version'));
    figures.list.push(run('plan', 'list'));
    figures.show.push(run('plan', 'show', 'last'));
    figures.json.push(run('plan', 'show', 'last', '--json'));
  }
  for (let n = 0; n < runs; n++) await review(dir, home, figures);
  return { name, files, figures };
}

/** @param {string} dir @param {string} home @param {Figures} figures */
async function review(dir, home, figures) {
  const began = performance.now();
  const terminal = new KeyedTerminal(['plan', 'review', 'last'], dir, home);
  await terminal.receives(DRAWN);
  figures.open.push(performance.now() - began);
  figures.walk.push(await terminal.timed('g', '@@'));
  for (let key = 0; key < KEYS; key++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    figures.next.push(await terminal.timed('n', DRAWN));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    figures.decide.push(await terminal.timed('a', '@@'));
  }
  figures.summary.push(await terminal.timed('q', 'would'));
  const pressed = performance.now();
  terminal.type('y');
  await terminal.ended;
  figures.approve.push(performance.now() - pressed);
}

/** @param {string} dir */
function makeFiles(dir) {
  for (let n = 0; n < FILES; n++) {
    const file = join(dir, nameOf(n));
    mkdirSync(dirname(file), { recursive: true });
    const lines = Array.from(
      { length: LINES },
      (_, line) => `export const v${n}_${line} = ${line}; // words of a line`,
    );
    writeFileSync(file, `${lines.join('\n')}\n`);
  }
  git(dir, 'init', '--quiet');
  git(dir, 'add', '.');
  git(dir, 'commit', '--quiet', '--message', 'files');
}

/** @param {number} n */
function nameOf(n) {
  return `src/folder-${n % 40}/file-${n}.ts`;
}

/**
 * Writes a patch that changes two places of each file, at most `FILES`.
 * @param {string} dir
 * @param {string} patch
 * @returns {number} how many files it changes
 */
function makePatch(dir, patch) {
  const names = String(git(dir, '-c', 'core.quotePath=false', 'ls-files'))
    .split('\n')
    .filter((name) => TEXT.test(name))
    .slice(0, FILES);
  for (const name of names) {
    const file = join(dir, name);
    const lines = readFileSync(file, 'latin1').split('\n');
    const places = lines.length > 20 ? [5, lines.length - 5] : [0];
    for (const place of places) lines[place] += ' // changed';
    writeFileSync(file, lines.join('\n'), 'latin1');
  }
  git(dir, 'diff', `--output=${patch}`);
  git(dir, 'checkout', '--quiet', '.');
  return names.length;
}
