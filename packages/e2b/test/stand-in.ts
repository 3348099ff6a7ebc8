import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandExitError, type CommandHandle, type CommandResult, type CommandStartOpts, type Sandbox } from 'e2b';
import type { E2bSandbox } from '../src/index.ts';

/** Checks that the SDK's own sandbox type is accepted. */
export const handedIn = (sandbox: Sandbox): E2bSandbox => sandbox;

type Handle = Pick<CommandHandle, 'wait' | 'kill' | 'sendStdin' | 'closeStdin'>;

/**
 * Implements the SDK's declarations of a sandbox with real processes on this machine. Like the SDK, it decodes outputs
 * from UTF-8 piece by piece, throws for a status other than 0, and kills only the one process.
 */
export function standIn(env: Readonly<Record<string, string>>): E2bSandbox {
  return { sandboxId: 'stand-in', commands: { run: async (command, options) => start(command, options, env) } };
}

function start(
  command: string,
  { onStdout, onStderr, stdin, cwd, envs, background }: CommandStartOpts & { background: true },
  env: Readonly<Record<string, string>>,
): Handle {
  if (!background || stdin !== true) throw new Error('the stand-in knows commands in the background with input only');
  const child = spawn('/bin/sh', ['-c', command], { cwd: cwd ?? '/', env: { ...env, ...envs } });
  const said = { stdout: '', stderr: '' };
  for (const [name, hear] of [
    ['stdout', onStdout],
    ['stderr', onStderr],
  ] as const) {
    const decoder = new TextDecoder();
    child[name].on('data', (part: Buffer) => {
      const text = decoder.decode(part, { stream: true });
      said[name] += text;
      void hear?.(text);
    });
  }
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close');
  return {
    async wait(): Promise<CommandResult> {
      const [status, signal] = (await ended) as [number | null, string | null];
      const result = { exitCode: status ?? -1, ...said, ...(signal === null ? {} : { error: `signal: ${signal}` }) };
      if (result.exitCode !== 0) throw new CommandExitError(result);
      return result;
    },
    async kill() {
      return child.kill('SIGKILL');
    },
    async sendStdin(data) {
      if (child.stdin.destroyed || child.exitCode !== null) throw new Error('the process is gone');
      if (!child.stdin.write(data)) await Promise.race([once(child.stdin, 'drain'), ended]);
    },
    async closeStdin() {
      child.stdin.end();
    },
  };
}
