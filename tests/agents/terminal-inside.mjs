// @ts-check
/**
 * Runs a scripted model and a command on this terminal, in a network namespace that only has a loopback. The argument is
 * a file with what to run, as JSON. What the model saw goes to the file `seen`.
 */
import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { startModel } from './model/server.mjs';
import { endOthersIn, networkOf } from './network-processes.mjs';

/** @typedef {import('./in-terminal.ts').TerminalSpec} TerminalSpec */

/** @type {TerminalSpec} */
const spec = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const network = readlinkSync('/proc/self/ns/net');
// All processes in this network are ended below, so it must not be a shared one.
if ([spec.outerNetwork, networkOf('1')].includes(network)) throw new Error('this is not a network of its own');
// The command gets the signals of the terminal as well, and this process ends after it.
for (const name of ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM']) process.on(name, () => undefined);

const model = await startModel({ plan: spec.plan, folder: process.cwd(), port: spec.port });
const watching = setInterval(report, 50);
const [file = '', ...args] = spec.command;
const child = spawn(file, args, { stdio: 'inherit' });
/** @type {number} */
const status = await new Promise((resolve, reject) => {
  child.on('error', reject);
  child.on('exit', (code) => resolve(code ?? 255));
});
clearInterval(watching);
await model.stop();
report();
await endOthersIn(network);
process.exit(status);

function report() {
  writeFileSync(`${spec.seen}.new`, JSON.stringify({ seen: model.seen, trouble: model.trouble }));
  renameSync(`${spec.seen}.new`, spec.seen);
}
