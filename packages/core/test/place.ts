import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type OpenOptions, open, type Savepoint } from '@savepoint/core';
import { world as createWorld, realPorts, type World } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';

/** A real folder that is removed when the test ends, with the library opened on it. */
export class Place {
  constructor(readonly world: World = createWorld(onTestFinished)) {}

  static with(files: Readonly<Record<string, string>>): Place {
    const place = new Place();
    for (const [name, content] of Object.entries(files)) place.write(name, content);
    return place;
  }

  /** Opens it as another process would, with no state kept from earlier calls. */
  open(options: Partial<OpenOptions> = {}): Savepoint {
    return open({ dir: this.world.workspace, ports: realPorts(), places: this.world.places, ...options });
  }

  at(name: string): string {
    return path.join(Buffer.from(this.world.workspace, 'latin1').toString(), name);
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
  }

  read(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }

  shell(command: string): void {
    execFileSync('sh', ['-c', command], { cwd: this.at('') });
  }

  /** The folder of the store. */
  async store(): Promise<string> {
    return Buffer.from((await this.open().status()).workspace.store, 'latin1').toString();
  }
}
