import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Checkpoint, open, type Savepoint } from '@savepoint/core';
import { realPorts, type World, world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';
import type { HookReply } from '../src/answer.ts';
import { runHook } from '../src/hook/index.ts';

const BUNDLE = fileURLToPath(new URL('../../cli/bundle/', import.meta.url));

/**
 * An agent at work in a real folder. It sends the same events as the real program, and its tools really change files.
 */
export class AgentAtWork {
  readonly world: World;
  readonly dir: string;
  readonly env: Record<string, string | undefined>;
  /** Arguments that the agent's settings add after the agent's name. */
  args: readonly string[] = [];

  constructor(
    readonly name: string,
    options: { readonly env?: Readonly<Record<string, string>>; readonly world?: World } = {},
  ) {
    this.world = options.world ?? world(onTestFinished);
    this.dir = Buffer.from(this.world.workspace, 'latin1').toString();
    this.env = { ...this.world.env, ...options.env };
    if (process.env['SAVEPOINT_TEST_WITH'] !== 'daemon') return;
    delete this.env['SAVEPOINT_DAEMON'];
    this.env['XDG_RUNTIME_DIR'] = path.join(Buffer.from(this.world.folder, 'latin1').toString(), 'run');
    mkdirSync(this.env['XDG_RUNTIME_DIR'], { recursive: true, mode: 0o700 });
  }

  async send(event: object | string): Promise<HookReply> {
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    if (process.env['SAVEPOINT_TEST_WITH'] === 'daemon') return this.#throughTheLine(text);
    const reply = await runHook({
      args: [this.name, ...this.args],
      env: this.env,
      input: Readable.from([Buffer.from(text)]),
      script: '/nowhere/savepoint.js',
      sinceStart: () => 0,
    });
    return reply;
  }

  /** Runs the hook as the agent's shell does: the script that asks the daemon, followed by the command. */
  #throughTheLine(text: string): HookReply {
    const { stdout, stderr, status } = spawnSync(
      `${BUNDLE}savepoint-hook`,
      [process.execPath, `${BUNDLE}savepoint.js`, 'hook', this.name, ...this.args],
      { env: this.env as NodeJS.ProcessEnv, input: text, encoding: 'utf8', cwd: '/' },
    );
    return { stdout, stderr, exit: status ?? 1 };
  }

  /** Sends an event and fails unless the hook succeeds. */
  async tell(event: object): Promise<unknown> {
    const { stdout, stderr, exit } = await this.send(event);
    if (stderr !== '' || exit !== 0) throw new Error(`status ${exit}: ${stderr}`);
    return stdout === '' ? null : JSON.parse(stdout);
  }

  at(name: string): string {
    return path.join(this.dir, name);
  }

  write(name: string, content: string): void {
    writeFileSync(this.at(name), content);
  }

  shell(command: string): void {
    execFileSync('sh', ['-c', command], { cwd: this.dir });
  }

  open(): Savepoint {
    return open({ dir: this.world.workspace, ports: realPorts(), places: this.world.places });
  }

  /** Empties the records of all open calls, as a full disk or a power cut does. */
  damageCalls(): void {
    const stores = path.join(Buffer.from(this.world.places.home, 'latin1').toString(), 'workspaces');
    for (const store of readdirSync(stores)) {
      const calls = path.join(stores, store, 'calls');
      for (const name of readdirSync(calls)) truncateSync(path.join(calls, name));
    }
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    return [...(await this.open().list()).checkpoints].reverse();
  }

  /**
   * `trigger description | path by author` per checkpoint, oldest first; `?` if the author is not known with
   * confidence.
   */
  async timelineLines(): Promise<readonly string[]> {
    return (await this.checkpoints()).map(
      ({ trigger, description, changes, late }) =>
        `${late ? 'late ' : ''}${trigger}: ${description}${(changes ?? []).map((change) => ` | ${change.path} by ${authors(change)}`).join('')}`,
    );
  }
}

function authors({ by }: NonNullable<Checkpoint['changes']>[number]): string {
  const names = by.authors.map(
    ({ actor, call, tool }) =>
      `${actor.name}${actor.id === undefined ? '' : `:${actor.id}`}${call === null ? (tool === null ? '' : `/${tool}`) : `/${call}`}`,
  );
  return `${names.join(', ')}${by.grade === 'open' ? '?' : ''}`;
}
