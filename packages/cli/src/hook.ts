/** `savepoint hook <agent>`: run by agents, as their settings say. */
import { constants, setPriority } from 'node:os';
import {
  CURL_STATUS_VARIABLE,
  type HookRun,
  type RunTyped,
  runHook,
  withoutAgentVariables,
} from '@savepoint/agents/hook';
import { textFromBytes } from '@savepoint/core';
import { nodePlaces } from '@savepoint/core/node';
import { exporter } from './exporter.ts';
import { writeAll } from './write.ts';

export {
  AGENT_VARIABLES,
  CURL_STATUS_VARIABLE,
  HOOK_VARIABLES,
  PARENT_VARIABLE,
  runHook,
} from '@savepoint/agents/hook';

const LOW_PRIORITY = constants.priority.PRIORITY_LOW;

/** Loaded on use: a hook rarely needs the command line. */
export const runTyped: RunTyped = async (typed, open) => (await import('./typed-command.ts')).runTyped(typed, open);

export async function hook(args: readonly string[]): Promise<never> {
  const script = process.argv[1] ?? '';
  const curlStatus = process.env[CURL_STATUS_VARIABLE];
  const spent = daemonWaitMs(curlStatus);
  let daemonWanted = false;
  const run: HookRun = {
    args,
    env: process.env,
    parent: process.ppid,
    input: process.stdin,
    script,
    exporter: exporter(process.env, script),
    runTyped,
    canWait: true,
    beginChecks,
    sinceStart: () => spent + performance.now(),
    onConfigured: ({ automatic, daemon }) => {
      daemonWanted = automatic.enabled && daemon.enabled;
    },
  };
  const { stdout, stderr, exit } = await runHook(run);
  for (const [fd, text] of [
    [1, stdout],
    [2, stderr],
  ] as const) {
    try {
      if (text !== '') writeAll(fd, text);
    } catch {
      // The agent does not read the answer.
    }
  }
  if (curlStatus !== undefined && daemonWanted) await startDaemonForNextHook(script);
  // An open pipe must not keep the process alive.
  process.exit(exit);
}

/** Checks get what other programs leave. If the agent ends the hook, they end as well. */
function beginChecks(): AbortSignal {
  const ended = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => ended.abort());
  try {
    setPriority(LOW_PRIORITY);
  } catch {
    // They run with the usual one.
  }
  return ended.signal;
}

/** Starts a daemon for the next hook, because no daemon handled this one. */
async function startDaemonForNextHook(script: string): Promise<void> {
  try {
    const { startDaemon } = await import('./daemon/start.ts');
    startDaemon(textFromBytes(nodePlaces(process.env).home) ?? '', script, withoutAgentVariables(process.env));
  } catch {
    // The next hook then works without a daemon, as this one did.
  }
}

/** Milliseconds spent waiting for a daemon that did not answer. The hook script sets `28:<seconds>` after a timeout. */
function daemonWaitMs(curlStatus: string | undefined): number {
  const seconds = Number(/^28:(\d{1,2})$/.exec(curlStatus ?? '')?.[1] ?? 0);
  return seconds * 1_000;
}
