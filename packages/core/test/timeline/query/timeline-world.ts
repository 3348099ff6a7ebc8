import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenOptions, Savepoint, TreePath } from '@savepoint/core';
import type { Clock, Ports } from '@savepoint/core/ports';
import { GIT_ENV, realPorts } from '@savepoint/testkit';
import { Place } from '../../place.ts';

/** A real folder, and a clock that only moves when the test moves it. */
export class TimelineWorld extends Place {
  #now = Date.UTC(2026, 0, 31, 12);

  override open(options: Partial<OpenOptions> = {}): Savepoint {
    return super.open({ ports: this.#ports(), ...options });
  }

  get now(): number {
    return this.#now;
  }

  pass(seconds: number): void {
    this.#now += seconds * 1000;
  }

  delete(name: string): void {
    rmSync(this.at(name), { recursive: true });
  }

  /** Removes the list of changes from a checkpoint, as if it had more than 10,000. */
  dropList(checkpoint: string): void {
    this.#rewrite(checkpoint, (record) =>
      JSON.stringify({ ...JSON.parse(record), changes: null, totals: { files: 10_001, added: 0, removed: 0 } }),
    );
  }

  /** Replaces a text in the record of a checkpoint, as another version would have written it. */
  replaceInRecord(checkpoint: string, text: string, by: string): void {
    this.#rewrite(checkpoint, (record) => record.replaceAll(text, by));
  }

  #rewrite(checkpoint: string, change: (record: string) => string): void {
    const ref = `refs/savepoint/cp/${checkpoint.slice(3)}`;
    const git = (input: string, ...args: readonly string[]): string =>
      execFileSync('git', ['--git-dir', `${this.onlyStore}/objects.git`, ...args], {
        input,
        encoding: 'utf8',
        env: { ...process.env, ...GIT_ENV },
      });
    const record = git('', 'cat-file', 'blob', `${ref}:checkpoint.json`);
    const blob = git(change(record), 'hash-object', '-w', '--stdin').trim();
    const entries = git('', 'ls-tree', ref).replace(/[0-9a-f]{40}(?=\tcheckpoint)/, blob);
    const commit = git('x', 'commit-tree', git(entries, 'mktree').trim()).trim();
    writeFileSync(`${this.onlyStore}/objects.git/${ref}`, `${commit}\n`);
  }

  /** The only store of this world. */
  get onlyStore(): string {
    const home = path.join(Buffer.from(this.world.places.home, 'latin1').toString(), 'workspaces');
    return path.join(home, execFileSync('ls', [home], { encoding: 'utf8' }).trim());
  }

  #ports(): Ports {
    const ports = realPorts();
    const clock: Clock = {
      now: () => this.#now,
      monotonic: () => ports.clock.monotonic(),
      sleep: (ms) => ports.clock.sleep(ms),
      turn: () => ports.clock.turn(),
    };
    return { ...ports, clock };
  }
}

/** A world in which cp_1 has the given files. */
export async function worldWith(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly w: TimelineWorld; readonly savepoint: Savepoint }> {
  const w = new TimelineWorld();
  for (const [name, content] of Object.entries(files)) w.write(name, content);
  const savepoint = w.open();
  await savepoint.checkpoint();
  return { w, savepoint };
}

export const tree = (...names: readonly string[]): readonly TreePath[] => names as readonly TreePath[];

export function linesOf(count: number, changed: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: count }, (_, i) => `${changed[i + 1] ?? `line ${i + 1}`}\n`).join('');
}
