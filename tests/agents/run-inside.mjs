// @ts-check
/**
 * Runs a scripted model and an agent program in a network namespace that only has a loopback. Reads what to run as JSON
 * from standard input and prints the result as JSON. It ends every process that the program started, even outside its
 * process group: every other process in this network is one of them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startModel } from './model/server.mjs';
import { endOthersIn, networkOf, signalOne } from './network-processes.mjs';

/** @typedef {import('./run.ts').Spec} Spec */
/** @typedef {import('./run.ts').ProgramRun} ProgramRun */

/** @type {Spec} */
const spec = JSON.parse(await text(process.stdin));
const network = readlinkSync('/proc/self/ns/net');
// All processes in this network are ended below, so it must not be a shared one.
if ([spec.outerNetwork, networkOf('1')].includes(network)) throw new Error('this is not a network of its own');

const model = await startModel({ plan: spec.plan, folder: spec.cwd, env: spec.env, port: spec.port });
const outcome = await run(spec);
await model.stop();
/** @type {ProgramRun} */
const result = { ...outcome, seen: model.seen, trouble: model.trouble };
process.stdout.write(JSON.stringify(result));

/** @param {Spec} what */
async function run({ command, cwd, env, timeoutMs, signal, afterwards }) {
  const began = performance.now();
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {Promise<{ status: number | null, signal: NodeJS.Signals | null }>} */
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (status, by) => resolve({ status, signal: by }));
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    signalOne(-(child.pid ?? 0), 'SIGKILL');
  }, timeoutMs);
  const waiting = new AbortController();
  const signalled = signal === null ? null : signalWhen(signal, child.pid ?? 0, waiting.signal);
  const { status, signal: endedBy } = await ended;
  const seconds = (performance.now() - began) / 1000;
  clearTimeout(timer);
  waiting.abort();
  await signalled;
  if (afterwards !== null) runAfterwards(afterwards, { cwd, env });
  const leftBehind = await endOthersIn(network);
  const [stdout, stderr] = await said;
  return { status, signal: endedBy, timedOut, stdout, stderr, seconds, leftBehind };
}

/** @param {NonNullable<Spec['signal']>} signal @param {number} pid @param {AbortSignal} stop */
async function signalWhen({ when, name, alone }, pid, stop) {
  while (!existsSync(when) && !stop.aborted) await sleep(20);
  if (!stop.aborted) signalOne(alone === true ? Number(readFileSync(when, 'utf8')) : -pid, name);
}

/** @param {string} command @param {Pick<Spec, 'cwd' | 'env'>} where */
function runAfterwards(command, { cwd, env }) {
  const done = spawnSync('sh', ['-e', '-c', command], { cwd, env, encoding: 'utf8', timeout: 60_000 });
  if (done.status !== 0) throw new Error(`afterwards: ${command}: ${done.stdout}${done.stderr}${done.error ?? ''}`);
}
