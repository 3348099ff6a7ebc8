import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Clock, type OpenOptions, open, type Ports, type Savepoint, type TreePath } from '@savepoint/core';
import { realPorts, type World, world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';

/** A real folder, and a clock that stands still until it is told to go on. */
export class TimelineWorld {
  readonly world: World = world(onTestFinished);
  #now = Date.UTC(2026, 0, 31, 12);

  open(options: Partial<OpenOptions> = {}): Savepoint {
    return open({ dir: this.world.workspace, ports: this.#ports(), places: this.world.places, ...options });
  }

  get now(): number {
    return this.#now;
  }

  pass(seconds: number): void {
    this.#now += seconds * 1000;
  }

  at(name: string): string {
    return path.join(Buffer.from(this.world.workspace, 'latin1').toString(), name);
  }

  write(name: string, content: string): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
  }

  delete(name: string): void {
    rmSync(this.at(name), { recursive: true });
  }

  /** The one store of this world. */
  get store(): string {
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

export const tree = (...names: readonly string[]): readonly TreePath[] => names as readonly TreePath[];

export function linesOf(count: number, changed: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: count }, (_, i) => `${changed[i + 1] ?? `line ${i + 1}`}\n`).join('');
}
