import { nodePorts } from '@savepoint/core/node';
import type { Fs, Ports } from '@savepoint/core/ports';
import { fakeProcesses } from './fake-processes.ts';
import { fixedClock } from './fixed-clock.ts';
import { noPrograms } from './no-programs.ts';
import { seededRandom } from './seeded-random.ts';

/** Ports on a simulated disk (or any other Fs), with a fixed clock, seeded random numbers and fake processes. */
export function simPorts(fs: Fs, replace: Partial<Ports> & { readonly seed?: number } = {}): Ports {
  const { seed = 1, ...others } = replace;
  return {
    fs,
    clock: fixedClock(),
    random: seededRandom(seed),
    processes: fakeProcesses(),
    programs: noPrograms,
    platform: 'linux',
    uid: 1000,
    umask: () => 0o022,
    ...others,
  };
}

/** The ports of the real machine, with some replaced. */
export function realPorts(replace: Partial<Ports> = {}): Ports {
  return { ...nodePorts(), ...replace };
}
