import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bytesFromText, type DiskPath, open, type Savepoint } from '@savepoint/core';
import { GIT_ENV, realPorts, type World, world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';

/** Two machines, each with its own home, and folders for bundles. */

export function disk(text: string): DiskPath {
  return bytesFromText(text) as DiskPath;
}

/** A machine without any stores. */
export class Machine {
  readonly world: World = world(onTestFinished);
  readonly folder = Buffer.from(this.world.folder, 'latin1').toString();
  readonly project = path.join(this.folder, 'workspace');

  at(name: string): string {
    return path.join(this.folder, name);
  }

  /** @param dir the workspace, below the machine's folder */
  open(dir = 'workspace', actor?: { readonly kind: 'agent'; readonly name: string }): Savepoint {
    const given = actor === undefined ? {} : { actor };
    const places = { ...this.world.places, searchPath: process.env['PATH'] ?? '' };
    return open({ dir: disk(this.at(dir)), ports: realPorts(), places, here: true, ...given });
  }

  write(name: string, content: string | Buffer, dir = 'workspace'): void {
    const file = path.join(this.at(dir), name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  restore(bundle: string, dir = 'restored'): ReturnType<Savepoint['restoreBundle']> {
    return this.open().restoreBundle(disk(bundle), disk(this.at(dir)));
  }

  git(args: readonly string[], options: { readonly cwd?: string; readonly input?: Buffer } = {}): string {
    return execFileSync('git', [...args], {
      cwd: options.cwd ?? this.folder,
      env: { ...this.world.env, ...GIT_ENV },
      input: options.input ?? Buffer.alloc(0),
      stdio: ['pipe', 'pipe', 'ignore'],
      maxBuffer: 1 << 28,
    })
      .toString()
      .trim();
  }

  /** Returns git's exit status. */
  gitFails(args: readonly string[]): number | null {
    return spawnSync('git', [...args], { cwd: this.folder, env: { ...this.world.env, ...GIT_ENV } }).status;
  }

  /** Everything on the machine, byte for byte, except bundles and the marker of the last lock holder. */
  state(): string {
    return everything(this.folder)
      .filter((line) => !/\.bundle |\/cache\/turn /.test(line))
      .join('\n');
  }
}

/** Lists every path below a folder with its content, one character per byte. An independent oracle. */
export function everything(folder: string, at = ''): readonly string[] {
  const onDisk = (inner: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(inner, 'latin1')]);
  return readdirSync(onDisk(at), { encoding: 'buffer' })
    .map((name) => name.toString('latin1'))
    .sort()
    .flatMap((name) => {
      const inner = at === '' ? name : `${at}/${name}`;
      const stat = lstatSync(onDisk(inner));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) return [`${inner}/ ${mode}`, ...everything(folder, inner)];
      if (stat.isSymbolicLink()) return [`${inner} -> ${readlinkSync(onDisk(inner))}`];
      if (!stat.isFile()) return [`${inner} special`];
      return [
        `${inner} ${mode} ${createHash('sha1')
          .update(readFileSync(onDisk(inner)))
          .digest('hex')}`,
      ];
    });
}

/** Writes the first bundle of a small project. */
export async function smallBundle(machine: Machine): Promise<string> {
  machine.write('a.txt', 'one\n');
  machine.write('src/b.ts', 'export const b = 1;\n');
  const savepoint = machine.open();
  await savepoint.checkpoint({ message: 'first' });
  machine.write('a.txt', 'two\n');
  await savepoint.checkpoint({ message: 'second' });
  const file = machine.at('small.bundle');
  await savepoint.createBundle(disk(file));
  return file;
}
