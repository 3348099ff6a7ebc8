import { durableWrite } from '../../io/durable-write.ts';
import { isFsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { beginProbe } from '../records.ts';
import { enterOverlay } from './enter.ts';
import { isKnownToWork, placeKey, rememberThatItWorks } from './known-to-work.ts';
import { launchOverlay } from './launch.ts';
import type { OverlayTools } from './tools.ts';

/** Why overlays do not work at a place, for display; null if they do. */
export type ProbeResult = string | null;

const RUN_MS = 15_000;
/** Bits of a capability set (linux/capability.h): SYS_PTRACE, SYS_ADMIN, DAC_READ_SEARCH, SYS_MODULE, SYS_RAWIO, MKNOD. */
const DANGEROUS = [19, 21, 2, 16, 17, 27].reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n);
const OLD = 'old';

/** The changes that file systems may refuse in an overlay. Prints the rights it runs with. */
const CHANGES = `set -e
printf new >changed
rm removed
rm -r replaced
mkdir replaced
printf new >replaced/new
[ "$(cat changed)" = new ]
[ ! -e removed ]
[ "$(cd replaced && echo *)" = new ]
mkdir -p sub/folder
mv changed sub/folder/moved
[ "$(cat sub/folder/moved)" = new ]
! umount "$PWD" 2>/dev/null
grep -e '^Cap' -e '^NoNewPrivs' /proc/self/status`;

/** The results in this process, by folder, user and tools. */
const known = new WeakMap<Ports['programs'], Map<string, Promise<ProbeResult>>>();

/**
 * Tries an overlay out below `copies`: mounts, changes, and the loss of rights. A result is kept as long as this process
 * runs, because the answer is that of the system and the file system. That it works is kept longer (known-to-work.ts).
 */
export function probeOverlay(ports: Ports, tools: OverlayTools, copies: DiskPath): Promise<ProbeResult> {
  const results = known.get(ports.programs) ?? new Map<string, Promise<ProbeResult>>();
  known.set(ports.programs, results);
  const key = JSON.stringify([copies, ports.uid, tools]);
  const result = results.get(key) ?? tryUnlessKnown(ports, tools, copies);
  results.set(key, result);
  return result;
}

async function tryUnlessKnown(ports: Ports, tools: OverlayTools, copies: DiskPath): Promise<ProbeResult> {
  const key = placeKey(ports, tools, copies);
  if (key !== null && isKnownToWork(ports, copies, key)) return null;
  const result = await tryOverlay(ports, tools, copies);
  if (key !== null && result === null) rememberThatItWorks(ports, copies, key);
  return result;
}

async function tryOverlay(ports: Ports, tools: OverlayTools, copies: DiskPath): Promise<ProbeResult> {
  const { fs } = ports;
  let probe: ReturnType<typeof beginProbe> | null = null;
  try {
    probe = beginProbe(ports, copies);
    const { id, place } = probe;
    const root = diskChild(place, 'root');
    for (const folder of [root, diskChild(root, 'replaced')]) fs.makeFolder(folder, 0o700);
    const files = ['changed', 'removed', 'replaced/old'].map((name) => diskChild(root, name));
    for (const file of files) durableWrite(fs, file, Buffer.from(OLD), 0o600);
    const overlay = await launchOverlay(ports, tools.searchPath, { id, root, place, home: null });
    if ('why' in overlay) return overlay.why;
    try {
      const why = await changeFiles(ports, tools, overlay.held.process.pid, root);
      if (why !== null) return why;
    } finally {
      await overlay.held.release(RUN_MS);
    }
    const isUntouched = files.every((file) => fs.lstat(file)?.size === OLD.length);
    return isUntouched ? null : 'changes in an overlay reached the files below it';
  } catch (error) {
    if (isFsError(error)) return `files cannot be made there (${error.code})`;
    throw error;
  } finally {
    probe?.abandon();
  }
}

async function changeFiles(ports: Ports, tools: OverlayTools, holder: number, root: DiskPath): Promise<ProbeResult> {
  const command = enterOverlay(ports, tools, holder, root, { file: '/bin/sh', args: ['-c', CHANGES] });
  const env = { PATH: tools.searchPath, LC_ALL: 'C' };
  const result = await ports.programs.run({ ...command, cwd: '/' as DiskPath, env, timeoutMs: RUN_MS });
  if (result.exit !== 0) {
    const line = result.stderr.toString('utf8').trim().split('\n').at(-1);
    return `files cannot be changed in an overlay here (${line || `status ${result.exit ?? result.signal}`})`;
  }
  const status = result.stdout.toString('latin1');
  const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].map((name) => capabilities(status, name));
  const allowed = ports.uid === 0 ? DANGEROUS : ~0n;
  const isDropped = sets.every((set) => set !== null && (set & allowed) === 0n) && /^NoNewPrivs:\s*1$/m.test(status);
  return isDropped ? null : 'commands in an overlay would keep rights that reach outside of it';
}

function capabilities(status: string, name: string): bigint | null {
  const digits = new RegExp(`^${name}:\\s*([0-9a-f]{1,32})$`, 'm').exec(status)?.[1];
  return digits === undefined ? null : BigInt(`0x${digits}`);
}
