import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, Ports, Random } from '../ports.ts';
import { nodeChanges } from './changes.ts';
import { nodeCompressor } from './compressor.ts';
import { nodeFactReader } from './facts/fact-reader.ts';
import { nodeFs, nodeFsWithoutNative } from './fs.ts';
import { nodeProcesses } from './processes.ts';
import { nodePrograms } from './programs.ts';
import { nodeTypeChecker } from './type-checker-program.ts';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    }),
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

const random: Random = {
  hex: (length) => randomBytes(length).toString('hex'),
};

/**
 * Returns the ports of this machine.
 *
 * @param mayUseNative whether to use the native add-on, if there is one for this machine. Without it, everything works,
 *   but slower, and changes are not reported.
 */
export function nodePorts(mayUseNative = true): Ports {
  const compressor = nodeCompressor();
  return {
    fs: mayUseNative ? nodeFs : nodeFsWithoutNative,
    clock,
    random,
    processes: nodeProcesses,
    programs: nodePrograms,
    ...(mayUseNative ? { changes: nodeChanges() } : {}),
    ...(compressor === null ? {} : { compressor }),
    typeChecker: nodeTypeChecker,
    facts: nodeFactReader(),
    platform: process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux',
    uid: process.geteuid?.() ?? null,
    umask: () => process.umask(),
  };
}
