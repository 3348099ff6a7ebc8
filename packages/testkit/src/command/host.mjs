// A process that runs commands one after the other. For each, it evaluates the entry of the built command again, with
// the command's arguments, environment and current folder. The modules that the entry imports are loaded only once.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';

const entry = process.argv[2];
const address = pathToFileURL(entry).href;
const writeSync = fs.writeSync;
/** What the running command has written to standard output (1) and standard error (2). */
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
  // Some systems refuse to remove the current folder of a process.
  process.chdir('/');
  process.exitCode = undefined;
  const [stdout, stderr] = [written[1], written[2]].map((parts) => Buffer.concat(parts).toString('utf8'));
  process.send({ status, signal: null, stdout, stderr });
});
process.on('disconnect', () => process.exit());
