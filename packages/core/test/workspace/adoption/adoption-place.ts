import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CheckpointResult, type DiskPath, type OpenOptions, open } from '@savepoint/core';
import type { Places } from '@savepoint/core/ports';
import { git, world as makeWorld, realPorts, type World } from '@savepoint/testkit';
import { afterAll, expect, onTestFinished } from 'vitest';

/** A packed repository, and first checkpoints of it, each in its own store. */
export class AdoptionPlace {
  readonly dir: string;
  /** The user's own attributes files. */
  attributes: readonly DiskPath[] | null = [];
  #homes = 0;

  constructor(readonly world: World = makeWorld(onTestFinished)) {
    this.dir = Buffer.from(world.workspace, 'latin1').toString();
  }

  at(name: string): string {
    return join(this.dir, name);
  }

  write(name: string, content: string | Buffer, mode = 0o644): void {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
    chmodSync(this.at(name), mode);
  }

  git(...args: string[]): string {
    return this.gitIn('', ...args);
  }

  gitIn(folder: string, ...args: string[]): string {
    return git(this.at(folder), '-c', 'protocol.file.allow=always', ...args).trimEnd();
  }

  /** Creates a repository with files of many kinds in one pack. */
  init(folder = '', ...args: string[]): void {
    mkdirSync(this.at(folder), { recursive: true });
    if (args.length > 0 || existsSync(join(this.at(folder), '.git'))) {
      this.#make(folder, ...args);
      return;
    }
    cpSync(template(), this.at(folder), { recursive: true });
    this.gitIn(folder, 'update-index', '-q', '--refresh');
    this.age(folder);
  }

  #make(folder: string, ...args: string[]): void {
    git(this.at(folder), 'init', '-q', '-b', 'main', ...args);
    this.write(join(folder, 'a.txt'), text('a'));
    this.write(join(folder, 'b.txt'), text('b'));
    this.write(join(folder, 'dir/run.sh'), text('run'), 0o755);
    this.write(join(folder, 'dir/deep/c.txt'), text('c'));
    this.write(join(folder, 'dir/deep/again.txt'), text('a'));
    this.commit(folder);
  }

  commit(folder = ''): void {
    git(this.at(folder), 'add', '-A');
    git(this.at(folder), 'commit', '-q', '-m', 'commit', '--allow-empty');
    this.pack(folder);
  }

  pack(folder = ''): void {
    git(this.at(folder), 'repack', '-adq');
    this.age(folder);
  }

  /** Makes the index look as if it had been written long after all files. */
  age(folder = '', seconds = 60): void {
    const at = Math.floor(Date.now() / 1000) + seconds;
    utimesSync(this.index(folder), at, at);
  }

  index(folder = ''): string {
    const own = this.at(join(folder, '.git/index'));
    if (existsSync(own)) return own;
    const path = this.gitIn(folder, 'rev-parse', '--git-path', 'index');
    return path.startsWith('/') ? path : this.at(join(folder, path));
  }

  /** Writes other bytes into an entry of the index, as no git would, and changes nothing else. */
  forge(name: string, change: (entry: Buffer) => void, folder = ''): void {
    const file = this.index(folder);
    const { mtimeMs } = statSync(file);
    const data = readFileSync(file);
    const at = data.indexOf(Buffer.from(`${name}\0`)) - 62;
    // Extended entries of version 3 are two bytes longer.
    const isLonger = data.readUInt32BE(4) === 3 && (data.readUInt16BE(at + 58) & 0x4000) !== 0;
    const start = isLonger ? at - 2 : at;
    change(data.subarray(start, start + 64));
    const end = data.length - 20;
    createHash('sha1').update(data.subarray(0, end)).digest().copy(data, end);
    writeFileSync(file, data);
    utimesSync(file, mtimeMs / 1000, mtimeMs / 1000);
  }

  /** Makes the index claim that the file is another one of the same size. At most its stat contradicts that. */
  lieAbout(name: string, folder = ''): void {
    const lie = this.gitIn(folder, 'rev-parse', ':b.txt');
    this.forge(name, (entry) => entry.write(lie, 40, 'hex'), folder);
  }

  /** Takes a first checkpoint in a new store. */
  async first(adopt: boolean, options: Partial<OpenOptions> & { readonly folder?: string } = {}) {
    const home = `${this.world.places.home}/${++this.#homes}` as DiskPath;
    const { folder = '', ...others } = options;
    const dir = `${this.world.workspace}${folder === '' ? '' : `/${folder}`}` as DiskPath;
    const places: Places = { ...this.world.places, home, gitAttributes: () => this.attributes };
    const savepoint = open({ dir, here: true, ports: realPorts(), places, adopt, ...others });
    const result = await savepoint.checkpoint();
    const { damage } = await savepoint.verify({ deep: true });
    return { savepoint, result, damage, filesRead: result.scan.filesRead };
  }

  /** Takes both checkpoints, compares them, and returns how many files were adopted. */
  async compare(options: Partial<OpenOptions> & { readonly folder?: string } = {}): Promise<number> {
    const read = await this.first(false, options);
    const adopted = await this.first(true, options);
    expect(reported(adopted.result)).toEqual(reported(read.result));
    expect(adopted.damage).toEqual([]);
    return read.filesRead - adopted.filesRead;
  }
}

let made: string | null = null;
let removeTemplate: (() => void) | null = null;
afterAll(() => removeTemplate?.());

/** Created once, because it starts many processes. */
function template(): string {
  if (made !== null) return made;
  const place = new AdoptionPlace(
    makeWorld((remove) => {
      removeTemplate = remove;
    }),
  );
  place.init('', '--object-format=sha1');
  made = place.dir;
  return made;
}

/** All texts have the same length. */
export function text(word: string): string {
  return `${word.padEnd(12, '.')}\n`.repeat(20);
}

function reported({ checkpoint, scan }: CheckpointResult) {
  const { id, workspace: _, time: __, commit: ___, ...what } = checkpoint;
  const { partial, leftOut, unsettled, problems, counts, roots } = scan;
  return { id, what, partial, leftOut, unsettled, problems, counts, roots };
}
