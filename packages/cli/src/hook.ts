/** `savepoint hook <agent>`: not a command for people, but what agents' settings run. */
import { type HookRun, LINE_VARIABLE, runHook } from '@savepoint/agents/hook';
import { textFromBytes } from '@savepoint/core';
import { nodePlaces } from '@savepoint/core/node';
import { exporter } from './exporter.ts';
import { writeAll } from './write.ts';

export { AGENT_VARIABLES, HOOK_VARIABLES, LINE_VARIABLE, runHook } from '@savepoint/agents/hook';

export async function hook(args: readonly string[]): Promise<never> {
  const script = process.argv[1] ?? '';
  const line = process.env[LINE_VARIABLE];
  const spent = spentOn(line);
  let daemonWanted = false;
  const run: HookRun = {
    args,
    env: process.env,
    input: process.stdin,
    script,
    exporter: exporter(process.env, script),
    sinceStart: () => spent + performance.now(),
    configured: ({ automatic, daemon }) => {
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
      // An agent that reads no answer needs none.
    }
  }
  if (line !== undefined && daemonWanted) await forTheNext(script);
  // A pipe that nobody closes must not keep the process.
  process.exit(exit);
}

/** The agent asked for a daemon, and there was none that could do it. */
async function forTheNext(script: string): Promise<void> {
  try {
    const { startDaemon } = await import('./daemon/start.ts');
    startDaemon(textFromBytes(nodePlaces(process.env).home) ?? '', script, process.env);
  } catch {
    // The next hook works as this one did.
  }
}

/** Milliseconds that went by while a daemon that does not answer was waited for. */
function spentOn(line: string | undefined): number {
  const seconds = Number(/^28:(\d{1,2})$/.exec(line ?? '')?.[1] ?? 0);
  return seconds * 1_000;
}
