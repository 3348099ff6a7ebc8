/** `savepoint daemon`: not a verb, because it is about a process and not about a workspace. */
import { SavepointError, showText } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import type { CommandEnvironment, ParsedArguments, StandaloneCommand } from '../../command.ts';
import { askDaemon, type DaemonAnswer } from '../../daemon/ask.ts';
import { buildOnDisk } from '../../daemon/build.ts';
import { homeOf, runDaemon } from '../../daemon/run.ts';
import { homeLink } from '../../daemon/runtime-folder.ts';
import { countText } from '../../show/format.ts';
import { writeAll } from '../../write.ts';

/** How long `stop` waits for running work to finish, in milliseconds. */
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 20;
const SILENT =
  'The daemon does not answer: it is busy, suspended or hangs. Try again later; a hook that gets no answer replaces it.';

export const daemonStatus: StandaloneCommand = {
  operands: [],
  takesCommand: false,
  options: [],
  examples: ['savepoint daemon status'],

  async run(_given, { globals, env }) {
    const home = homeOf(env);
    const said = await queryDaemon(home, 'status');
    const pid = typeof said === 'object' ? said.pid : null;
    print(globals.json ? { running: pid !== null, ...daemonStatusToJson(said) } : statusLines(said, home));
    return 0;
  },
};

export const daemonStop: StandaloneCommand = {
  operands: [],
  takesCommand: false,
  options: [],
  examples: ['savepoint daemon stop'],

  async run(_given, { globals, env }) {
    const said = await queryDaemon(homeOf(env), 'stop');
    const pid = typeof said === 'object' ? said.pid : null;
    const isGone = pid === null ? null : await waitForExit(pid);
    print(globals.json ? { stopped: said !== 'none' && said !== 'silent', pid } : stopLines(said, isGone));
    return 0;
  },
};

export const daemonRun: StandaloneCommand = {
  operands: [],
  takesCommand: false,
  options: [{ flags: '--idle <seconds>', description: 'exit after this long without a request' }],
  examples: ['savepoint daemon run --idle 60'],

  run: ({ options }, { env, parse }) => runDaemonHere(options['idle'], { env, parse }),
};

async function queryDaemon(home: string, what: 'status' | 'stop'): Promise<DaemonAnswer> {
  const own = buildOnDisk();
  return own === null ? 'none' : askDaemon(home, own, what);
}

function print(answer: readonly string[] | Readonly<Record<string, unknown>>): void {
  writeAll(1, `${Array.isArray(answer) ? answer.join('\n') : safeJson(answer, 0)}\n`);
}

function daemonStatusToJson(said: DaemonAnswer): Readonly<Record<string, unknown>> {
  return typeof said === 'object' ? said : { leaves: said === 'stopping', silent: said === 'silent' };
}

function statusLines(said: DaemonAnswer, home: string): readonly string[] {
  if (said === 'stopping') return ['The daemon is shutting down. The next hook starts a new one.'];
  if (said === 'silent') return [SILENT];
  if (said === 'none')
    return ['No daemon is running. Hooks work without it; the next hook starts one if the system supports it.'];
  const { pid, startedAt, events, commands, scans, medianMs, idleSeconds, endsAfterIdleSeconds } = said;
  const { workspaces, memoryBytes } = said;
  const median = typeof medianMs === 'number' ? ` (median ${medianMs} ms)` : '';
  return [
    `The daemon is running: process ${pid}, since ${showText(String(startedAt))}.`,
    `Handled ${countText(Number(events), 'event')}${median}, and ${countText(Number(commands), 'command')}.`,
    `Helped ${countText(Number(scans), 'scan')} of other processes.`,
    `${countText(Number(workspaces), 'workspace')} open, ${Math.round(Number(memoryBytes) / 1_048_576)} MB of memory.`,
    `Idle for ${Number(idleSeconds)} s; exits after ${Number(endsAfterIdleSeconds)} s without a request.`,
    `Socket: ${showText(homeLink(home))}`,
  ];
}

function stopLines(said: DaemonAnswer, gone: boolean | null): readonly string[] {
  if (said === 'none') return ['No daemon is running.'];
  if (said === 'silent') return [SILENT];
  if (said === 'stopping') return ['The daemon is already shutting down.'];
  if (gone === true) return [`Stopped the daemon (process ${said.pid}).`];
  return [`The daemon (process ${said.pid}) accepts no more requests and exits when its running work is done.`];
}

/** @returns whether the process has ended within `STOP_TIMEOUT_MS` */
async function waitForExit(pid: number): Promise<boolean> {
  const { processes, clock } = nodePorts();
  const daemon = { ...processes.self(), pid, startedAt: null };
  for (let waited = 0; waited < STOP_TIMEOUT_MS; waited += POLL_MS) {
    if (processes.state(daemon) === 'dead') return true;
    await clock.sleep(POLL_MS);
  }
  return false;
}

async function runDaemonHere(
  given: ParsedArguments['options'][string],
  environment: Pick<CommandEnvironment, 'env' | 'parse'>,
): Promise<never> {
  if (given !== undefined && (typeof given !== 'string' || !/^[1-9]\d{0,6}$/.test(given))) {
    throw new SavepointError('USAGE', '--idle needs a whole number of seconds.', { argument: '--idle' });
  }
  const idleMs = given === undefined ? null : Number(given) * 1_000;
  const ended = await runDaemon({ ...environment, script: process.argv[1] ?? '', idleMs });
  if (ended === 'taken') writeAll(1, 'Another daemon is already running.\n');
  // Open handles of workspaces must not keep the process alive.
  process.exit(0);
}
