// A process that runs one command after the other. Each is the entry of the built command, evaluated anew with its own
// arguments, environment and current folder; what the entry imports is loaded once.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';

const entry = process.argv[2];
const address = pathToFileURL(entry).href;
const writeSync = fs.writeSync;
/** What the running command wrote to its standard output and standard error. */
let written = { 1: [], 2: [] };
let runs = 0;

fs.writeSync = (fd, data, ...more) => {
  if (fd !== 1 && fd !== 2) return writeSync(fd, data, ...more);
  const bytes = Buffer.from(data).subarray(more[0] ?? 0);
  written[fd].push(bytes);
  return bytes.length;
};
syncBuiltinESMExports();

process.on('message', async ({ args, cwd, env }) => {
  written = { 1: [], 2: [] };
  process.exitCode = undefined;
  process.argv = [process.execPath, entry, ...args];
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  try {
    process.chdir(cwd);
    await import(`${address}?${++runs}`);
  } catch (error) {
    process.exitCode = 1;
    written[2].push(Buffer.from(`${error?.stack ?? error}\n`));
  }
  const status = process.exitCode ?? 0;
  // A folder that a process is in cannot be removed on every system.
  process.chdir('/');
  process.exitCode = undefined;
  const [stdout, stderr] = [written[1], written[2]].map((parts) => Buffer.concat(parts).toString('utf8'));
  process.send({ status, signal: null, stdout, stderr });
});
process.on('disconnect', () => process.exit());
