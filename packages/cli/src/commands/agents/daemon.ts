/** `savepoint daemon`: not a verb, because it is about a process and not about a workspace. */
import { SavepointError, showText } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import type { OwnCommand, Words } from '../../command.ts';
import { askDaemon, type Said } from '../../daemon/ask.ts';
import { buildOnDisk } from '../../daemon/build.ts';
import { homeLink } from '../../daemon/place.ts';
import { homeOf, runDaemon } from '../../daemon/run.ts';
import { counted } from '../../show/words.ts';
import { writeAll } from '../../write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How long `stop` waits for running work to finish, in milliseconds. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 20;

export const daemonStatus: OwnCommand = {
  operands: [],
  takesCommand: false,
  options: [],
  examples: ['savepoint daemon status'],

  async run(_words, { globals, env }) {
    const home = homeOf(env);
    const said = await ask(home, 'status');
    const pid = typeof said === 'object' ? said.pid : null;
    tell(globals.json ? { running: pid !== null, ...answerOf(said) } : statusLines(said, home));
    return 0;
  },
};

export const daemonStop: OwnCommand = {
  operands: [],
  takesCommand: false,
  options: [],
  examples: ['savepoint daemon stop'],

  async run(_words, { globals, env }) {
    const said = await ask(homeOf(env), 'stop');
    const pid = typeof said === 'object' ? said.pid : null;
    const isGone = pid === null ? null : await ends(pid);
    tell(globals.json ? { stopped: said !== 'nobody', pid } : stopLines(said, isGone));
    return 0;
  },
};

export const daemonRun: OwnCommand = {
  operands: [],
  takesCommand: false,
  options: [{ flags: '--idle <seconds>', description: 'exit after this long without a request' }],
  examples: ['savepoint daemon run --idle 60'],

  run: ({ options }, { env }) => runHere(options['idle'], env),
};

async function ask(home: string, what: 'status' | 'stop'): Promise<Said | 'nobody' | 'leaves'> {
  const own = buildOnDisk();
  return own === null ? 'nobody' : askDaemon(home, own, what);
}

function tell(answer: readonly string[] | Readonly<Record<string, unknown>>): void {
  writeAll(1, `${Array.isArray(answer) ? answer.join('\n') : safeJson(answer, 0)}\n`);
}

function answerOf(said: Said | 'nobody' | 'leaves'): Readonly<Record<string, unknown>> {
  return typeof said === 'object' ? said : { leaves: said === 'leaves' };
}

function statusLines(said: Said | 'nobody' | 'leaves', home: string): readonly string[] {
  if (said === 'leaves') return ['The daemon is shutting down. The next hook starts a new one.'];
  if (said === 'nobody')
    return ['No daemon is running. Hooks work without it; the next hook starts one if the system supports it.'];
  const { pid, startedAt, events, medianMs, idleSeconds, endsAfterIdleSeconds, workspaces, memoryBytes } = said;
  const median = typeof medianMs === 'number' ? ` (median ${medianMs} ms)` : '';
  return [
    `The daemon is running: process ${pid}, since ${showText(String(startedAt))}.`,
    `Handled ${counted(Number(events), 'event')}${median}.`,
    `${counted(Number(workspaces), 'workspace')} open, ${Math.round(Number(memoryBytes) / 1_048_576)} MB of memory.`,
    `Idle for ${Number(idleSeconds)} s; exits after ${Number(endsAfterIdleSeconds)} s without a request.`,
    `Socket: ${showText(homeLink(home))}`,
  ];
}

function stopLines(said: Said | 'nobody' | 'leaves', gone: boolean | null): readonly string[] {
  if (said === 'nobody') return ['No daemon is running.'];
  if (said === 'leaves') return ['The daemon is already shutting down.'];
  if (gone === true) return [`Stopped the daemon (process ${said.pid}).`];
  return [`The daemon (process ${said.pid}) accepts no more requests and exits when its running work is done.`];
}

/** @returns whether the process has ended within `PATIENCE_MS` */
async function ends(pid: number): Promise<boolean> {
  const { processes, clock } = nodePorts();
  const daemon = { ...processes.self(), pid, startedAt: null };
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    if (processes.state(daemon) === 'dead') return true;
    await clock.sleep(LOOK_MS);
  }
  return false;
}

async function runHere(given: Words['options'][string], env: Environment): Promise<never> {
  if (given !== undefined && (typeof given !== 'string' || !/^[1-9]\d{0,6}$/.test(given))) {
    throw new SavepointError('USAGE', '--idle needs a whole number of seconds.', { argument: '--idle' });
  }
  const idleMs = given === undefined ? null : Number(given) * 1_000;
  const ended = await runDaemon({ env, script: process.argv[1] ?? '', idleMs });
  if (ended === 'taken') writeAll(1, 'Another daemon is already running.\n');
  // Open handles of workspaces must not keep the process alive.
  process.exit(0);
}
