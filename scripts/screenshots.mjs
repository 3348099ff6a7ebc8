#!/usr/bin/env node
// @ts-check
/**
 * Makes the pictures in docs/images/: the real command in a real pseudo-terminal, on a project that is always the same.
 * Usage: node scripts/screenshots.mjs [NAME…]   after `npm run build`; without names: all pictures
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { makeDemo } from './screenshots/demo.mjs';
import { svgOf } from './screenshots/svg.mjs';

const TOP = fileURLToPath(new URL('..', import.meta.url));
const COMMAND = join(TOP, 'packages/cli/bundle/savepoint.js');
const CLOCK = join(TOP, 'scripts/screenshots/fixed-clock.mjs');
const IMAGES = join(TOP, 'docs/images');
const TAKEN = Date.UTC(2026, 4, 12, 14, 30);
const [DOWN, ESC] = ['\x1b[B', '\x1b'];
const GIVE_UP_MS = 30_000;

/**
 * @typedef {readonly [wanted: RegExp, keys: string]} Step
 *   what the screen must show before the keys are typed
 * @typedef {{
 *   readonly name: string, readonly title: string, readonly args: readonly string[],
 *   readonly columns: number, readonly rows: number, readonly steps: readonly Step[], readonly shows: RegExp
 * }} Picture
 */

/** A program that an agent could be: it prints a prompt, and waits. */
const AGENT = [
  'process.stdin.setRawMode(true);',
  "console.log('\\n> Make the session survive a restart: keep it in SQLite\\n\\n  I moved the sessions to src/auth/database.ts and added a test.\\n\\n> ');",
  "process.stdin.on('data', (bytes) => bytes.includes('q') && process.exit());",
].join('');

/** @type {readonly Picture[]} */
const PICTURES = [
  {
    name: 'browse',
    title: 'savepoint browse',
    args: ['browse'],
    columns: 132,
    rows: 36,
    steps: [[/CREATE TABLE[\s\S]*database\.run/, '']],
    shows: /CREATE TABLE/,
  },
  {
    name: 'browse-narrow',
    title: 'savepoint browse',
    args: ['browse'],
    columns: 80,
    rows: 24,
    steps: [
      [/database/, '2'],
      [/cp_21 .*Write test/, `${DOWN}m${DOWN}${DOWN}`],
      [/cp_\d+ → cp_\d+/, 'l'],
    ],
    shows: /cp_\d+ → cp_\d+/,
  },
  {
    name: 'browse-restore',
    title: 'savepoint browse',
    args: ['browse'],
    columns: 100,
    rows: 26,
    steps: [
      [/database/, DOWN],
      [/login-failed/, 'r'],
      [/a revert only|y restore all/, 'a'],
    ],
    shows: /y restore all files/,
  },
  {
    name: 'run-overlay',
    title: 'savepoint run -- agent',
    args: ['run', '--', process.execPath, '-e', AGENT],
    columns: 80,
    rows: 24,
    steps: [
      [/added a test/, ESC],
      [/added a test/, ESC],
      [/the files as they are[\s\S]*\d file/, DOWN + DOWN],
      [/new|changed/, ''],
    ],
    shows: /changed since then[\s\S]*database/,
  },
];

const wanted = process.argv.slice(2);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-pictures-')));
try {
  for (const picture of PICTURES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const home = join(folder, picture.name);
    const dir = join(home, 'shop-api');
    mkdirSync(dir, { recursive: true });
    await makeDemo({ dir, home: join(home, 'store'), now: TAKEN });
    const file = join(IMAGES, `${picture.name}.svg`);
    mkdirSync(IMAGES, { recursive: true });
    writeFileSync(file, await taken(picture, { dir, home }));
    console.log(file);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {Picture} picture @param {{ dir: string, home: string }} where */
async function taken({ title, args, columns, rows, steps, shows }, { dir, home }) {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, logLevel: 'off' });
  const pty = spawn(process.execPath, ['--import', CLOCK, COMMAND, ...args], {
    cwd: dir,
    cols: columns,
    rows,
    name: 'xterm-256color',
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      PWD: dir,
      TZ: 'UTC',
      SAVEPOINT_HOME: join(home, 'store'),
      SCREENSHOT_TIME: String(TAKEN),
    },
  });
  pty.onData((data) => terminal.write(data));
  try {
    for (const [before, keys] of steps) {
      await screen(terminal, before);
      pty.write(keys);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await screen(terminal, shows);
    await still(terminal);
    return svgOf(terminal, title);
  } finally {
    pty.kill('SIGKILL');
  }
}

/** @param {headless.Terminal} terminal @param {RegExp} wanted */
async function screen(terminal, wanted) {
  const end = performance.now() + GIVE_UP_MS;
  while (!wanted.test(textOf(terminal))) {
    if (performance.now() > end) throw new Error(`Waited in vain for ${wanted} on the screen:\n${textOf(terminal)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until nothing changes any more. @param {headless.Terminal} terminal */
async function still(terminal) {
  for (let last = ''; last !== textOf(terminal); ) {
    last = textOf(terminal);
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
}

/** @param {headless.Terminal} terminal */
function textOf(terminal) {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) =>
    active.getLine(active.baseY + row)?.translateToString(true),
  ).join('\n');
}
