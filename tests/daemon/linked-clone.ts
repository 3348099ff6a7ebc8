import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { git } from '@savepoint/testkit';
import type { Project } from '@savepoint/testkit/command';
import { expect } from 'vitest';

const MIB = 1024 * 1024;

/** The pack of a clone that a first checkpoint linked. */
export interface LinkedPack {
  /** Whether the store still has a second name of the pack. */
  isLinked(): boolean;
  /** Packs of the store's own. */
  ownPacks(): number;
  /** Removes the repository and the files, and restores these from the store alone. */
  expectIndependent(): void;
}

const ALONE = { env: { SAVEPOINT_DAEMON: 'off' } };

/**
 * Makes the project a clone with a read-only pack, and takes its first checkpoint in a process that ends.
 * @param large number of files of 1 MiB; more than four are replaced in several slices
 */
export function linkedClone(p: Project, large: number): LinkedPack {
  const origin = path.join(p.base, 'origin');
  fs.mkdirSync(origin);
  git(origin, 'init', '-q', '--object-format=sha1');
  const write = (name: string, content: Buffer): void => fs.writeFileSync(path.join(origin, name), content);
  for (let nth = 0; nth < 120; nth++) write(`old-${nth}.bin`, randomBytes(100));
  for (let nth = 0; nth < large; nth++) write(`large-${nth}.bin`, randomBytes(MIB));
  const commit = (): void => {
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', 'commit');
  };
  commit();
  for (let nth = 0; nth < 120; nth++) fs.unlinkSync(path.join(origin, `old-${nth}.bin`));
  commit();
  fs.rmSync(p.dir, { recursive: true, force: true });
  git(p.base, '-c', 'protocol.file.allow=always', 'clone', '-q', '--no-local', origin, p.dir);
  const packs = p.at('.git/objects/pack');
  const [name = ''] = fs.readdirSync(packs).filter((each) => each.endsWith('.pack'));
  const { ino, mode } = fs.statSync(path.join(packs, name));
  expect(mode & 0o222).toBe(0);
  const contents = filesOf(p.dir);
  expect(p.run(['checkpoint'], ALONE).status).toBe(0);
  const store = fs.readdirSync(path.join(p.store, 'workspaces')).filter((each) => /^[0-9a-f]{32}$/.test(each));
  expect(store.length).toBe(1);
  const folder = path.join(p.store, 'workspaces', store[0]!, 'objects.git/objects/pack');
  const stored = (): readonly number[] =>
    fs
      .readdirSync(folder)
      .filter((each) => each.endsWith('.pack'))
      .map((each) => fs.lstatSync(path.join(folder, each)).ino);
  expect(stored()).toContain(ino);
  return {
    isLinked: () => stored().includes(ino),
    ownPacks: () => stored().filter((each) => each !== ino).length,
    expectIndependent: () => {
      for (const each of fs.readdirSync(p.dir)) fs.rmSync(p.at(each), { recursive: true });
      expect(p.run(['restore', 'cp_1', '--yes'], ALONE).status).toBe(0);
      expect(filesOf(p.dir)).toEqual(contents);
      expect(p.run(['verify', '--deep'], ALONE).status).toBe(0);
    },
  };
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  const names = fs.readdirSync(folder).filter((each) => each !== '.git');
  return new Map(names.map((name) => [name, fs.readFileSync(path.join(folder, name)).toString('base64')]));
}
