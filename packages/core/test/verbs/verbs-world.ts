import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bytesFromText, type DiskPath, open, type Savepoint } from '@savepoint/core';
import { type InputOf, type OutputOf, schemasOf, type Verb } from '@savepoint/core/frontend';
import type { Ports } from '@savepoint/core/ports';
import { realPorts, type World, world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';

/** A real folder with its verbs. */
export class VerbsWorld {
  readonly world: World;
  readonly dir: string;

  /** @param ports some that replace those of the machine */
  constructor(private readonly ports: Partial<Ports> = {}) {
    this.world = world(onTestFinished);
    this.dir = Buffer.from(this.world.workspace, 'latin1').toString();
  }

  at(file: string): string {
    return join(this.dir, file);
  }

  write(file: string, content: string, mode = 0o644): void {
    mkdirSync(dirname(this.at(file)), { recursive: true });
    writeFileSync(this.at(file), content);
    chmodSync(this.at(file), mode);
  }

  delete(file: string): void {
    rmSync(this.at(file), { recursive: true });
  }

  /** @param folder relative to the workspace */
  open(folder = ''): Savepoint {
    return this.openAt(this.at(folder));
  }

  /** @param dir absolute path */
  openAt(dir: string): Savepoint {
    return open({ dir: bytesFromText(dir) as DiskPath, ports: realPorts(this.ports), places: this.world.places });
  }

  /** Calls a verb, and fails unless input and output match its strict schemas. */
  async call<V extends Verb>(verb: V, input: InputOf<V>, savepoint = this.open()): Promise<OutputOf<V>> {
    const schemas = await schemasOf(verb);
    const output = await verb.handle(savepoint, schemas.input.parse(input), {});
    // JSON has no undefined: the output must survive a round trip.
    return schemas.output.parse(JSON.parse(JSON.stringify(output))) as OutputOf<V>;
  }
}
