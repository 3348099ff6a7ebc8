import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { nodeFs } from './node-fs.ts';
import { nodeProcesses } from './node-processes.ts';
import { nodePrograms } from './node-programs.ts';
import type { Clock, Ports, Random } from './ports.ts';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

const random: Random = {
  hex: (length) => randomBytes(length).toString('hex'),
};

/** The machine as it is. */
export function nodePorts(): Ports {
  return {
    fs: nodeFs,
    clock,
    random,
    processes: nodeProcesses,
    programs: nodePrograms,
    platform: process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux',
    uid: process.geteuid?.() ?? null,
  };
}
