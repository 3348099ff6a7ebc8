/** The daemon: one process per account and home that answers hooks, exactly as `savepoint hook` does. */
import { Readable } from 'node:stream';
import { SavepointError, textFromBytes } from '@savepoint/core';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { exporter } from '../exporter.ts';
import { AGENT_VARIABLES, HOOK_VARIABLES, runHook } from '../hook.ts';
import { askDaemon } from './ask.ts';
import { buildOnDisk } from './build.ts';
import { KeptWorkspaces, Turns } from './kept.ts';
import { runtimeFolder } from './place.ts';
import { answerText, parseHookRequest } from './request.ts';
import { type Answer, serve } from './server.ts';
import { type Standing, stand } from './socket.ts';
import { Times } from './times.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface DaemonOptions {
  readonly env: Environment;
  /** The program that runs hooks. */
  readonly script: string;
  /** Milliseconds without a request until it exits; null: the configured value. */
  readonly idleMs: number | null;
}

/** Milliseconds between checks whether to exit. */
const LOOK_MS = 2_000;
/** The idle time until the first request brings the configuration. */
const FIRST_IDLE_MS = 15 * 60_000;
/** A workspace without a request for this long is closed. */
const KEEP_MS = 10 * 60_000;
/** Variables of agents apply to a single event, so they do not distinguish workspaces. */
const OF_AGENTS: ReadonlySet<string> = new Set(AGENT_VARIABLES);
const KNOWN: ReadonlySet<string> = new Set(HOOK_VARIABLES);

/** Why it ended; `taken`: it did not start, because another daemon is running. */
export type Ended = 'taken' | 'idle' | 'stopped' | 'replaced' | 'new-build' | 'new-format' | 'turned-off' | 'fault';

/** @throws SavepointError IO if it cannot create a socket */
export async function runDaemon({ env, script, idleMs }: DaemonOptions): Promise<Ended> {
  const own = buildOnDisk();
  const { clock } = nodePorts();
  const home = homeOf(env);
  const runtime = runtimeFolder(home, env);
  if (own === null) throw noDaemon('this command is not installed completely');
  if ('why' in runtime) throw noDaemon(runtime.why);

  const kept = new KeptWorkspaces(() => clock.monotonic());
  const turns = new Turns();
  const times = new Times();
  const began = clock.now();
  const jobs = environmentOfJobs(env);
  let standing: Standing | null = null;
  let active = 0;
  let lastAsked = clock.monotonic();
  let idle = idleMs ?? FIRST_IDLE_MS;
  let ended: Ended | null = null;
  let onEnd: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  /** Accepts no more requests; accepted requests are finished. */
  const leave = (why: Ended): void => {
    if (ended !== null) return;
    ended = why;
    standing?.leave();
    onEnd();
  };
  const reasonToLeave = (): Ended | null => {
    if (standing?.isFound() === false) return 'replaced';
    if (buildOnDisk()?.build !== own.build) return 'new-build';
    return null;
  };

  const server = serve(
    own,
    {
      isOpen: () => {
        const why = reasonToLeave();
        if (why !== null) leave(why);
        return ended === null;
      },
      otherBuild: () => leave('new-build'),
      status: async () => ({
        status: 200,
        body: JSON.stringify({
          pid: process.pid,
          ...own,
          home,
          startedAt: new Date(began).toISOString(),
          idleSeconds: Math.round((clock.monotonic() - lastAsked) / 1_000),
          endsAfterIdleSeconds: Math.round(idle / 1_000),
          events: times.count,
          medianMs: times.median(),
          workspaces: kept.count,
          memoryBytes: process.memoryUsage().rss,
        }),
      }),
      stop: async () => {
        setImmediate(() => leave('stopped'));
        return { status: 200, body: JSON.stringify({ pid: process.pid }) };
      },
      hook: async (agent, event, body, arrived) => {
        active += 1;
        try {
          return await hook(agent, event, body, arrived);
        } finally {
          active -= 1;
          lastAsked = clock.monotonic();
          times.add(clock.monotonic() - arrived);
        }
      },
    },
    () => clock.monotonic(),
  );

  async function hook(agent: string, event: string | null, body: Buffer, arrived: number): Promise<Answer> {
    const request = parseHookRequest(body, KNOWN);
    if (request === null) return { status: 400, body: 'not understood\n' };
    if (homeOf(request.env) !== home) return { status: 421, body: 'another home\n' };
    const variables = { ...jobs, ...request.env };
    const loan = kept.lend(JSON.stringify(Object.entries(request.env).filter(([name]) => !OF_AGENTS.has(name))));
    let tooNew = false;
    const reply = await runHook({
      args: event === null || event === '' ? [agent] : [agent, event],
      env: variables,
      input: Readable.from([request.event]),
      script,
      exporter: exporter(variables, script),
      sinceStart: () => clock.monotonic() - arrived,
      open: (options) => loan.open(options),
      inTurn: (folder, work) => turns.take(folder, work),
      configured: ({ daemon }) => {
        idle = idleMs ?? daemon.idleMs;
        if (!daemon.enabled) setImmediate(() => leave('turned-off'));
      },
      failed: (error) => {
        if (error instanceof SavepointError && error.code === 'STORE_TOO_NEW') tooNew = true;
      },
    }).finally(() => loan.end());
    if (tooNew) {
      setImmediate(() => leave('new-format'));
      return { status: 409, body: 'another format\n' };
    }
    return { status: 200, body: answerText(reply) };
  }

  standing = await stand(
    server,
    home,
    runtime.folder,
    async () => typeof (await askDaemon(home, own, 'status')) === 'object',
  );
  if (standing === null) {
    server.close();
    return 'taken';
  }
  // After an unexpected error, the state is unknown. The next hook starts a new daemon.
  process.on('uncaughtException', () => leave('fault'));
  process.on('unhandledRejection', () => leave('fault'));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => leave('stopped'));
  const looking = setInterval(
    () => {
      kept.closeIdle(KEEP_MS);
      const why = reasonToLeave() ?? (active === 0 && clock.monotonic() - lastAsked >= idle ? 'idle' : null);
      if (why !== null) leave(why);
    },
    Math.min(LOOK_MS, idle),
  );
  await end;
  clearInterval(looking);
  await closed(server);
  await kept.closeAll();
  return ended ?? 'stopped';
}

export function homeOf(env: Environment): string {
  return textFromBytes(nodePlaces(env).home) ?? '';
}

/** Resolves when all open connections have been answered. */
function closed(server: import('node:http').Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** The environment of background processes. Variables that hooks read come only from the hook's request. */
function environmentOfJobs(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !KNOWN.has(name) && !name.startsWith('SAVEPOINT')));
}

function noDaemon(why: string): SavepointError {
  return new SavepointError(
    'IO',
    `The daemon cannot run here: ${why}.`,
    { operation: 'listen', code: 'EACCES' },
    { hint: 'Hooks work without it, each in its own process.' },
  );
}
