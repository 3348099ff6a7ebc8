// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { median, showMs } from './measure.mjs';

/**
 * What `savepoint run` adds to a program in a terminal: to a key, from the moment it is typed until the program's answer
 * arrives, and to a large output. Once directly in a pseudo-terminal, once through `savepoint run` in one.
 */

const COMMAND = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));
const KEYS = 200;
const OUTPUT_BYTES = 1_000_000;
const PAUSE_MS = 5;

/** Answers a key with the same key, and `o` with a large output. */
const PROGRAM = `
const line = '\\x1b[32mword\\x1b[0m some words of an output, as programs print it in colour\\r\\n';
const output = line.repeat(Math.ceil(${OUTPUT_BYTES} / line.length)) + '<end>';
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  const key = bytes.toString();
  if (key === 'q') process.exit();
  process.stdout.write(key === 'o' ? output : key);
});
process.stdout.write('<ready>');
`;

/** @param {{ base: string, runs: number }} setting @returns {Promise<string>} a table */
export async function measureTerminal({ base, runs }) {
  const dir = join(base, 'terminal');
  mkdirSync(dir);
  const program = join(dir, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const env = { ...process.env, SAVEPOINT_HOME: join(base, 'terminal-home') };
  /** @type {Record<'bare' | 'hosted', { keys: number[], output: number[] }>} */
  const found = { bare: { keys: [], output: [] }, hosted: { keys: [], output: [] } };
  for (let run = 0; run < runs; run++) {
    await measure([program], { dir, env }, found.bare);
    await measure([COMMAND, 'run', '--', process.execPath, program], { dir, env }, found.hosted);
  }
  const added = median(found.hosted.keys) - median(found.bare.keys);
  return [
    '| milliseconds | bare | through `savepoint run` |',
    '|---|---|---|',
    `| a key and its answer | ${median(found.bare.keys).toFixed(2)} | ${median(found.hosted.keys).toFixed(2)} |`,
    `| 1 MB of output | ${showMs(found.bare.output)} | ${showMs(found.hosted.output)} |`,
    '',
    `A key takes ${added.toFixed(2)} ms longer (medians of ${found.bare.keys.length} keys each).`,
  ].join('\n');
}

/**
 * @param {readonly string[]} args of node
 * @param {{ dir: string, env: NodeJS.ProcessEnv }} place
 * @param {{ keys: number[], output: number[] }} found
 */
async function measure(args, { dir, env }, found) {
  const terminal = spawn(process.execPath, [...args], { cwd: dir, cols: 100, rows: 30, env });
  let wanted = '';
  let end = '';
  /** @type {() => void} */
  let arrived = () => undefined;
  terminal.onData((data) => {
    end = (end + data).slice(-100);
    if (wanted !== '' && end.includes(wanted)) arrived();
  });
  /** @param {string} text @param {() => void} [act] */
  const after = (text, act) =>
    new Promise((resolve) => {
      if (text === '<ready>' && end.includes(text)) resolve(undefined);
      else end = '';
      wanted = text;
      arrived = () => resolve(undefined);
      act?.();
    });
  await after('<ready>');
  for (let key = 0; key < KEYS; key++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const started = performance.now();
    await after('x', () => terminal.write('x'));
    found.keys.push(performance.now() - started);
  }
  const started = performance.now();
  await after('<end>', () => terminal.write('o'));
  found.output.push(performance.now() - started);
  const exited = new Promise((resolve) => terminal.onExit(resolve));
  terminal.write('q');
  await exited;
}
