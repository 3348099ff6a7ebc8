import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bytesFromText, type DiskPath, open, type Savepoint } from '@savepoint/core';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { type CommandOutcome, hookScript, main, Project, type RunOptions } from '@savepoint/testkit/command';
import { onTestFinished } from 'vitest';

const PATIENCE_MS = 60_000;

export interface Status {
  readonly running: boolean;
  readonly pid: number;
  readonly events: number;
  readonly workspaces: number;
}

/** A project whose hooks run through the script that asks the daemon, and daemons that end with the test. */
export class DaemonProject extends Project {
  readonly #pids: number[] = [];

  override environment(options: RunOptions = {}): NodeJS.ProcessEnv {
    const runtime = path.join(this.base, 'run');
    fs.mkdirSync(runtime, { recursive: true, mode: 0o700 });
    return super.environment({
      ...options,
      env: { XDG_RUNTIME_DIR: runtime, SAVEPOINT_DAEMON: undefined, ...options.env },
    });
  }

  override remove(): void {
    for (const pid of this.#pids) kill(pid, 'SIGKILL');
    const found = this.foundPid();
    if (found !== null) kill(found, 'SIGKILL');
    super.remove();
  }

  get link(): string {
    return path.join(this.store, 'daemon');
  }

  /** The next hook that finds no daemon starts one, even right after a failed attempt. */
  forgetTries(): void {
    fs.rmSync(path.join(this.store, 'daemon.tried'), { force: true });
  }

  /** Starts a daemon in the foreground of a child process, and waits until it answers. */
  async startDaemon(options: RunOptions = {}, program = main): Promise<number> {
    fs.mkdirSync(this.store, { recursive: true, mode: 0o700 });
    const child = spawn(process.execPath, [program, 'daemon', 'run', '--idle', '120'], {
      cwd: '/',
      env: this.environment(options),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (part) => {
      said += part;
    });
    const pid = child.pid as number;
    this.#pids.push(pid);
    await until(() => {
      if (child.exitCode !== null) throw new Error(`the daemon ended: ${said}`);
      return this.foundPid() === pid;
    });
    return pid;
  }

  /** The process that the link in the home points to; null if there is none. */
  foundPid(): number | null {
    try {
      return Number(path.basename(fs.realpathSync(this.link)));
    } catch {
      return null;
    }
  }

  status(): Status {
    return JSON.parse(this.run(['daemon', 'status', '--json'], { cwd: '/' }).stdout) as Status;
  }

  /** Sends an event as the agent's own shell does. Only the test starts daemons, unless the options allow it. */
  tell(
    agent: string,
    event: object | string,
    options: RunOptions & { readonly args?: readonly string[]; readonly starts?: boolean } = {},
  ): CommandOutcome {
    const keepFromStarting = options.starts === true ? [] : ['env', '-u', 'SAVEPOINT_HOOK_LINE'];
    const { status, signal, stdout, stderr } = spawnSync(
      hookScript,
      [...keepFromStarting, process.execPath, main, 'hook', agent, ...(options.args ?? [])],
      {
        cwd: '/',
        env: this.environment(options),
        input: typeof event === 'string' ? event : JSON.stringify(event),
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    return { status, signal, stdout, stderr };
  }

  /** Runs the command alone, as without a daemon. */
  tellPlainly(
    agent: string,
    event: object | string,
    options: RunOptions & { readonly args?: readonly string[] } = {},
  ): CommandOutcome {
    const input = typeof event === 'string' ? event : JSON.stringify(event);
    return this.run(['hook', agent, ...(options.args ?? [])], { cwd: '/', input, ...options });
  }

  open(): Savepoint {
    return open({
      dir: bytesFromText(this.dir) as DiskPath,
      ports: nodePorts(),
      places: nodePlaces({ SAVEPOINT_HOME: this.store, HOME: this.home }),
    });
  }

  /** Everything that distinguishes timelines, except times and ids. */
  async timelineLines(): Promise<readonly string[]> {
    const { checkpoints } = await this.open().list();
    return checkpoints
      .toReversed()
      .map(({ id, trigger, description, late, toolCall, session, actor, conversation, changes }) =>
        JSON.stringify([
          id,
          trigger,
          description,
          late,
          toolCall,
          session,
          actor,
          conversation,
          (changes ?? []).map(({ path: name, operation, by }) => [
            name,
            operation,
            by.grade,
            by.evidence,
            by.authors.map((author) => [author.actor.name, author.actor.id, author.session, author.call]),
          ]),
        ]).replaceAll(this.base, '…'),
      );
  }
}

/** A daemon project that is removed, with its daemons, when the calling test ends. */
export function daemonProject(name?: string): DaemonProject {
  const made = new DaemonProject(name);
  onTestFinished(() => made.remove());
  return made;
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}

/** Whether the process id is in use; true for a zombie. */
export function hasNumber(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function isRunning(pid: number): boolean {
  if (!hasNumber(pid)) return false;
  // A zombie is not running.
  return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
}

export async function until(isSo: () => boolean): Promise<void> {
  const began = performance.now();
  while (!isSo()) {
    if (performance.now() - began > PATIENCE_MS) throw new Error('it did not come to pass');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
