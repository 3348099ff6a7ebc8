// Loaded into a `savepoint` process before its own code. Watches the file system calls of the process. On the selected
// call it fails, kills the process, or saves a file as another program would at that moment.
//
// PRELOAD_CALLS is JSON: { below, calls, nth?, sticky?, action?, record? }
//   below   only calls on paths below this folder count
//   calls   names of node's synchronous functions, such as "renameSync"
//   nth     which of the counted calls, from 1; by default all of them
//   sticky  that call and all later ones
//   action  {  error: "EIO" } or { kill: true } or { save: { file, text } } (before the call goes through)
//   record  file to which each counted call is appended, one JSON array [name, path] per line
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

const asked = JSON.parse(process.env.PRELOAD_CALLS);
const real = { ...fs };
const opened = new Map();
let count = 0;

/**
 * Returns the path as a person would write it: descriptors and `/proc/self/fd/N` are replaced by the paths that were
 * opened.
 */
function named(target) {
  if (typeof target === 'number') return opened.get(target) ?? '';
  let text = Buffer.isBuffer(target) ? target.toString('latin1') : String(target);
  for (let turns = 0; turns < 3; turns++) {
    const handle = /^\/proc\/self\/fd\/(\d+)(.*)$/s.exec(text);
    if (handle === null) break;
    text = path.join(opened.get(Number(handle[1])) ?? real.readlinkSync(`/proc/self/fd/${handle[1]}`), handle[2]);
  }
  return text;
}

for (const name of Object.keys(real).filter((key) => key.endsWith('Sync') && typeof real[key] === 'function')) {
  const wrapped = (...args) => {
    const target = named(args[0]);
    const hit = asked.calls.includes(name) && (target === asked.below || target.startsWith(asked.below + path.sep));
    if (hit) {
      count++;
      if (asked.record) real.appendFileSync(asked.record, `${JSON.stringify([name, target])}\n`);
      const chosen = asked.nth === undefined || count === asked.nth || (asked.sticky && count > asked.nth);
      if (chosen && asked.action?.kill) process.kill(process.pid, 'SIGKILL');
      if (chosen && asked.action?.error) {
        throw Object.assign(new Error(`${asked.action.error}: injected, ${name}`), {
          code: asked.action.error,
          syscall: name,
        });
      }
      if (chosen && asked.action?.save) real.writeFileSync(asked.action.save.file, asked.action.save.text);
    }
    const result = real[name](...args);
    if (name === 'openSync') opened.set(result, target);
    return result;
  };
  // Some functions have functions as properties (realpathSync.native).
  fs[name] = Object.assign(wrapped, real[name]);
}
syncBuiltinESMExports();
