import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesFromText, type DiskPath, open, type Savepoint } from '@savepoint/core';
import { nodeFs } from '@savepoint/core/node';
import type { Ports } from '@savepoint/core/ports';
import { FaultyFs, realPorts } from '@savepoint/testkit';
import { VerbsWorld } from './verbs/verbs-world.ts';

/** How much later the clock is, so that files that were just written do not count as recent and are not read again. */
const LATER_MS = 60_000;

const READS: ReadonlySet<string> = new Set(['openRead', 'openFolder', 'list']);

export interface PlaceInPack {
  readonly id: string;
  readonly offset: number;
  readonly end: number;
}

/** A workspace whose store a test damages. Its scans trust the times of all files. */
export class DamagedWorld extends VerbsWorld {
  /** Inodes of the files on bad sectors. */
  readonly #unreadable = new Set<number>();

  override openAt(dir: string): Savepoint {
    const { clock } = realPorts();
    const later: Ports['clock'] = {
      now: () => clock.now() + LATER_MS,
      monotonic: () => clock.monotonic(),
      sleep: (ms) => clock.sleep(ms),
      turn: () => clock.turn(),
    };
    const fs = new FaultyFs(nodeFs, {
      at: 1,
      fault: { fail: 'EIO', sticky: true },
      counts: ({ operation, path }) => READS.has(operation) && this.#isUnreadable(path),
    });
    const ports = realPorts({ clock: later, ...(this.#unreadable.size > 0 ? { fs } : {}) });
    return open({ dir: bytesFromText(dir) as DiskPath, ports, places: this.world.places });
  }

  /** The only store in the home. */
  get store(): string {
    const stores = join(Buffer.from(this.world.places.home, 'latin1').toString(), 'workspaces');
    return join(stores, readdirSync(stores).filter((name) => /^[0-9a-f]{32}$/.test(name))[0] as string);
  }

  inStore(...names: readonly string[]): string {
    return join(this.store, ...names);
  }

  /** Every read of the file or folder fails with EIO from now on, also under another name. */
  makeUnreadable(path: string): void {
    this.#unreadable.add(lstatSync(path).ino);
  }

  makeReadable(): void {
    this.#unreadable.clear();
  }

  #isUnreadable(path: string): boolean {
    const stat = lstatSync(Buffer.from(path, 'latin1'), { throwIfNoEntry: false });
    return stat !== undefined && this.#unreadable.has(stat.ino);
  }

  git(...args: readonly string[]): string {
    const environment = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
    return execFileSync('git', [`--git-dir=${this.inStore('objects.git')}`, ...args], {
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** @param name as git names it, such as `refs/savepoint/cp/2:files/a.md` */
  idOf(name: string): string {
    return this.git('rev-parse', '--verify', name).trim();
  }

  packs(): readonly string[] {
    const folder = this.inStore('objects.git', 'objects', 'pack');
    return readdirSync(folder)
      .filter((name) => name.endsWith('.pack'))
      .map((name) => join(folder, name));
  }

  /** The pack that has the object. */
  packOf(id: string): string {
    return this.packs().find((pack) => placesIn(pack).some((place) => place.id === id)) as string;
  }

  /** Where the object is in the pack, according to its index. */
  placeOf(pack: string, id: string): PlaceInPack {
    return placesIn(pack).find((place) => place.id === id) as PlaceInPack;
  }

  /** Changes the last bytes of the object in every pack that has it. */
  damageObject(id: string): void {
    for (const pack of this.packs()) {
      const place = placesIn(pack).find((one) => one.id === id);
      if (place === undefined) continue;
      const bytes = readFileSync(pack);
      const { end } = place;
      for (let byte = end - 4; byte < end; byte++) bytes[byte] = (bytes[byte] as number) ^ 0x55;
      replaceFile(pack, bytes);
    }
  }
}

export function replaceFile(path: string, bytes: Uint8Array | string): void {
  chmodSync(path, 0o600);
  writeFileSync(path, bytes);
}

/** In the order of the pack. */
function placesIn(pack: string): readonly PlaceInPack[] {
  const index = readFileSync(pack.replace(/\.pack$/, '.idx'));
  const places = execFileSync('git', ['show-index'], { input: index, encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([offset, id]) => ({ id: id as string, offset: Number(offset) }))
    .sort((a, b) => a.offset - b.offset);
  const end = lstatSync(pack).size - 20;
  return places.map((place, at) => ({ ...place, end: places[at + 1]?.offset ?? end }));
}
