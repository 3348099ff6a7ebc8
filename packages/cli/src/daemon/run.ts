/** The daemon: one process per account and home that answers hooks, exactly as `savepoint hook` does. */
import { Readable } from 'node:stream';
import { SavepointError, textFromBytes } from '@savepoint/core';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { exporter } from '../exporter.ts';
import { AGENT_VARIABLES, HOOK_VARIABLES, runHook, runTyped } from '../hook.ts';
import type { ParseCommandLine } from './answer-command.ts';
import { askDaemon } from './ask.ts';
import { buildOnDisk } from './build.ts';
import type { CommandReply } from './command-request.ts';
import { answerText, parseHookRequest } from './request.ts';
import { ResponseTimes } from './response-times.ts';
import { runtimeFolder } from './runtime-folder.ts';
import { type DaemonResponse, serve } from './server.ts';
import { claimSocket, type DaemonSocket } from './socket.ts';
import { parseUnchangedRequest } from './unchanged-request.ts';
import { WorkspacePool, WorkspaceQueue } from './workspace-pool.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface DaemonOptions {
  readonly env: Environment;
  /** Parses the command line of a command that asks. */
  readonly parse: ParseCommandLine;
  /** The program that runs hooks. */
  readonly script: string;
  /** Idle timeout in milliseconds; null for the configured value. */
  readonly idleMs: number | null;
}

/** Milliseconds between checks whether the daemon should exit. */
const CHECK_MS = 2_000;
/** Idle timeout before the first request, which provides the configuration. */
const FIRST_IDLE_MS = 15 * 60_000;
/** A workspace without a request for this long is closed. */
const KEEP_MS = 10 * 60_000;
/** Minimum milliseconds between two reports of progress to a command. */
const PROGRESS_MS = 200;
/** Variables of agents apply to a single event, so they do not distinguish workspaces. */
const AGENT_VARIABLE_NAMES: ReadonlySet<string> = new Set(AGENT_VARIABLES);
/** Variables that distinguish workspaces. */
const SETTINGS_VARIABLES = HOOK_VARIABLES.filter((name) => !AGENT_VARIABLE_NAMES.has(name));
const HOOK_VARIABLE_NAMES: ReadonlySet<string> = new Set(HOOK_VARIABLES);

/** Why the daemon ended. `taken`: it did not start, because another daemon is running. */
export type DaemonExit =
  | 'taken'
  | 'idle'
  | 'stopped'
  | 'replaced'
  | 'new-build'
  | 'new-format'
  | 'turned-off'
  | 'fault';

/** @throws SavepointError IO if it cannot create a socket */
export async function runDaemon({ env, parse, script, idleMs }: DaemonOptions): Promise<DaemonExit> {
  const own = buildOnDisk();
  const { clock } = nodePorts();
  const home = homeOf(env);
  const runtime = runtimeFolder(home, env);
  if (own === null) throw daemonUnavailable('this command is not installed completely');
  if ('why' in runtime) throw daemonUnavailable(runtime.why);

  const pool = new WorkspacePool(() => clock.monotonic());
  const queue = new WorkspaceQueue();
  const times = new ResponseTimes();
  const began = clock.now();
  const jobs = jobEnvironment(env);
  let socket: DaemonSocket | null = null;
  let active = 0;
  /** Commands that got their answer here. */
  let commands = 0;
  /** Scans of other processes that it helped. */
  let scans = 0;
  let lastAsked = clock.monotonic();
  let idle = idleMs ?? FIRST_IDLE_MS;
  let ended: DaemonExit | null = null;
  let onEnd: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  /** Stops accepting requests. Requests that were already accepted are finished. */
  const shutDown = (why: DaemonExit): void => {
    if (ended !== null) return;
    ended = why;
    socket?.release();
    onEnd();
  };
  const reasonToLeave = (): DaemonExit | null => {
    if (socket?.isCurrent() === false) return 'replaced';
    if (buildOnDisk()?.build !== own.build) return 'new-build';
    return null;
  };

  const server = serve(
    own,
    {
      isAccepting: () => {
        const why = reasonToLeave();
        if (why !== null) shutDown(why);
        return ended === null;
      },
      onOtherBuild: () => shutDown('new-build'),
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
          commands,
          scans,
          medianMs: times.median(),
          workspaces: pool.count,
          memoryBytes: process.memoryUsage().rss,
        }),
      }),
      stop: async () => {
        setImmediate(() => shutDown('stopped'));
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
      unchanged: async (body) => {
        lastAsked = clock.monotonic();
        const question = parseUnchangedRequest(body);
        if (question === null) return { status: 400, body: 'not understood\n' };
        if (question.home !== nodePlaces({ SAVEPOINT_HOME: home }).home) return { status: 421, body: 'another home\n' };
        const answer = pool.answer(question);
        if (answer === null) return { status: 404, body: 'unknown\n' };
        scans += 1;
        return { status: 200, body: answer };
      },
      command: async (body, write, signal) => {
        active += 1;
        try {
          const reply = await command(body, write, signal);
          write(reply);
          // What it declines needs no daemon: `daemon status` is asked like any command.
          if (!('answer' in reply)) return;
          commands += 1;
          lastAsked = clock.monotonic();
        } finally {
          active -= 1;
        }
      },
    },
    () => clock.monotonic(),
  );

  async function command(body: Buffer, write: (line: object) => void, signal: AbortSignal): Promise<CommandReply> {
    // Loaded on use: hooks do not need the command line.
    const { answerCommand, parseCommandRequest } = await import('./answer-command.ts');
    const request = parseCommandRequest(body);
    if (request === null) return { declined: 'not understood' };
    const { env } = request;
    const lease = pool.lease(JSON.stringify(SETTINGS_VARIABLES.map((name) => env[name] ?? null)));
    let reportedAt = 0;
    try {
      return await answerCommand(request, {
        home: nodePlaces({ SAVEPOINT_HOME: home }).home,
        parse,
        lease,
        signal,
        onProgress: (progress) => {
          const now = clock.monotonic();
          if (now - reportedAt >= PROGRESS_MS) write({ progress });
          if (now - reportedAt >= PROGRESS_MS) reportedAt = now;
        },
        onConfigured: (daemon) => {
          idle = idleMs ?? daemon.idleMs;
          if (!daemon.enabled) setImmediate(() => shutDown('turned-off'));
        },
      });
    } finally {
      lease.end();
    }
  }

  async function hook(agent: string, event: string | null, body: Buffer, arrived: number): Promise<DaemonResponse> {
    const request = parseHookRequest(body, HOOK_VARIABLE_NAMES);
    if (request === null) return { status: 400, body: 'not understood\n' };
    if (homeOf(request.env) !== home) return { status: 421, body: 'another home\n' };
    const variables = { ...jobs, ...request.env };
    const lease = pool.lease(
      JSON.stringify(Object.entries(request.env).filter(([name]) => !AGENT_VARIABLE_NAMES.has(name))),
    );
    let tooNew = false;
    const reply = await runHook({
      args: event === null || event === '' ? [agent] : [agent, event],
      env: variables,
      // The daemon's own parent is not an agent.
      parent: 0,
      input: Readable.from([request.event]),
      script,
      exporter: exporter(variables, script),
      runTyped,
      sinceStart: () => clock.monotonic() - arrived,
      open: (options) => lease.open(options),
      runInOrder: (folder, work) => queue.run(folder, work),
      onConfigured: ({ daemon }) => {
        idle = idleMs ?? daemon.idleMs;
        if (!daemon.enabled) setImmediate(() => shutDown('turned-off'));
      },
      onFailed: (error) => {
        if (error instanceof SavepointError && error.code === 'STORE_TOO_NEW') tooNew = true;
      },
    }).finally(() => lease.end());
    if (tooNew) {
      setImmediate(() => shutDown('new-format'));
      return { status: 409, body: 'another format\n' };
    }
    // The hook script then runs the command, which may take as long as the agent allows.
    if (reply.isElsewhere === true) return { status: 409, body: 'it takes longer\n' };
    return { status: 200, body: answerText(reply) };
  }

  socket = await claimSocket(
    server,
    home,
    runtime.folder,
    async () => typeof (await askDaemon(home, own, 'status')) === 'object',
  ).catch((error: unknown) => {
    // The home may have been deleted. A server that listens would keep this process alive.
    server.close();
    throw error;
  });
  if (socket === null) {
    server.close();
    return 'taken';
  }
  // After an unexpected error, the state is unknown. The next hook starts a new daemon.
  process.on('uncaughtException', () => shutDown('fault'));
  process.on('unhandledRejection', () => shutDown('fault'));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => shutDown('stopped'));
  const looking = setInterval(
    () => {
      pool.closeIdle(KEEP_MS);
      pool.replaceLinks();
      const why = reasonToLeave() ?? (active === 0 && clock.monotonic() - lastAsked >= idle ? 'idle' : null);
      if (why !== null) shutDown(why);
    },
    Math.min(CHECK_MS, idle),
  );
  await end;
  clearInterval(looking);
  await closeServer(server);
  await pool.closeAll();
  return ended ?? 'stopped';
}

export function homeOf(env: Environment): string {
  return textFromBytes(nodePlaces(env).home) ?? '';
}

/** Resolves when all open connections have been answered. */
function closeServer(server: import('node:http').Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** The environment of background processes. Variables that hooks read come only from the hook's request. */
function jobEnvironment(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !HOOK_VARIABLE_NAMES.has(name) && !name.startsWith('SAVEPOINT')),
  );
}

function daemonUnavailable(why: string): SavepointError {
  return new SavepointError(
    'IO',
    `The daemon cannot run here: ${why}.`,
    { operation: 'listen', code: 'EACCES' },
    { hint: 'Hooks work without it, each in its own process.' },
  );
}
