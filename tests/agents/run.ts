import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Plan, Seen } from './model/plan.ts';

/** What to run in an isolated network, and the plan of the model. */
export interface Spec {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly plan: Plan;
  /** Port of the model on the loopback. */
  readonly port: number;
  readonly timeoutMs: number;
  /**
   * Sent as soon as the file `when` exists: to the program's process group, or if `alone`, only to the process whose id
   * the file contains.
   */
  readonly signal: { readonly when: string; readonly name: NodeJS.Signals; readonly alone?: boolean } | null;
  /** A shell command of a person, after the program has ended and before the processes that it left behind are ended. */
  readonly afterwards: string | null;
  /** The network that it must not run in, as /proc names it. */
  readonly outerNetwork: string;
}

export interface ProgramRun {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** Command lines of left-behind processes that had to be ended. */
  readonly leftBehind: readonly string[];
  /** The model's requests about the work, in order. */
  readonly seen: readonly Seen[];
  /** Errors of the model server. */
  readonly trouble: readonly string[];
}

const inside = fileURLToPath(new URL('./run-inside.mjs', import.meta.url));
/** Arguments of `unshare` for a command with no other network. */
export const LOOPBACK_ONLY = ['--net', '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

/** Why an isolated network is not possible here, or null. */
export function whyNoNetwork(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the programs are pinned for Linux on x64';
  const tried = spawnSync('unshare', [...LOOPBACK_ONLY, 'true'], { encoding: 'utf8' });
  if (tried.status === 0 && existsSync('/proc/self/ns/net')) return null;
  return `a network of its own takes root, unshare and ip: ${tried.stderr ?? ''}${tried.error ?? ''}`.trim();
}

/** When it returns, every process that it started has ended. */
export async function runAlone(spec: Omit<Spec, 'outerNetwork'>): Promise<ProgramRun> {
  const whole: Spec = { ...spec, outerNetwork: readlinkSync('/proc/self/ns/net') };
  const child = spawn('unshare', [...LOOPBACK_ONLY, process.execPath, inside], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(whole));
  const status = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), status]);
  if (code !== 0) throw new Error(`the runner failed with ${code}: ${err}`);
  return JSON.parse(out) as ProgramRun;
}
