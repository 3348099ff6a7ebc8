/** Packs of unusual repositories are linked or left alone. In both cases, the store does not depend on them. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { git } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { AdoptionPlace } from './adoption-place.ts';
import { packFolder, withHistory } from './linked-place.ts';

interface Kind {
  /** Creates the repository of the workspace. @returns the folder of the workspace in `place` */
  readonly make: (place: AdoptionPlace, source: AdoptionPlace) => string;
  /** Whether a pack is linked. */
  readonly links: boolean;
}

const clone = (place: AdoptionPlace, source: AdoptionPlace, ...args: string[]): string => {
  place.git('clone', '-q', ...args, `file://${source.dir}`, '.');
  place.age();
  return '';
};

const KINDS: Readonly<Record<string, Kind>> = {
  'a clone': { links: true, make: (place, source) => clone(place, source) },
  'several packs with one index for all': {
    links: true,
    make: (place, source) => {
      clone(place, source);
      place.write('new.txt', 'new\n');
      place.git('add', '-A');
      place.git('commit', '-qm', 'new');
      place.git('repack', '-dq');
      place.git('multi-pack-index', 'write');
      place.age();
      return '';
    },
  },
  'a partial clone': {
    links: true,
    make: (place, source) => {
      source.git('config', 'uploadpack.allowFilter', 'true');
      return clone(place, source, '--filter=blob:none');
    },
  },
  'a shallow clone': { links: true, make: (place, source) => clone(place, source, '--depth=1') },
  'a clone that borrows objects': {
    links: false,
    make: (place, source) => {
      place.git('clone', '-q', '--shared', source.dir, '.');
      place.age();
      return '';
    },
  },
  'a clone that borrows some objects': {
    links: true,
    make: (place, source) => {
      place.git('clone', '-q', '--shared', source.dir, '.');
      place.write('a.txt', 'of its own\n');
      place.git('commit', '-qam', 'of its own');
      place.git('repack', '-dlq');
      place.age();
      return '';
    },
  },
  'a worktree': {
    links: true,
    make: (place, source) => {
      place.git('clone', '-q', `file://${source.dir}`, 'main');
      place.gitIn('main', 'worktree', 'add', '-q', '../tree', '-b', 'tree');
      place.age('tree');
      return 'tree';
    },
  },
  'SHA-256': {
    links: false,
    make: (place) => {
      place.init('', '--object-format=sha256');
      return '';
    },
  },
};

describe.each(Object.entries(KINDS))('%s', (_, { make, links }) => {
  test('is captured as if every file had been read, and needs no repository', async () => {
    const source = withHistory();
    const place = new AdoptionPlace();
    const folder = make(place, source);
    const names = place.gitIn(folder, 'ls-files').split('\n');
    const contents = new Map(names.map((name) => [name, readFileSync(place.at(join(folder, name)), 'latin1')]));
    const read = await place.first(false, { folder });
    const { savepoint, result, damage } = await place.first(true, { folder });
    expect(result.checkpoint.snapshot).toEqual(read.result.checkpoint.snapshot);
    expect(damage).toEqual([]);
    expect((await linkedFiles(savepoint)) > 0).toBe(links);
    await expectSound(savepoint);
    await savepoint.tidyUp();
    expect(await linkedFiles(savepoint)).toBe(0);
    await expectSound(savepoint);
    for (const path of [place.at('.git'), place.at('main'), place.at('tree/.git'), source.dir]) {
      rmSync(path, { recursive: true, force: true });
    }
    for (const name of names) rmSync(place.at(join(folder, name)));
    await savepoint.restore('cp_1');
    for (const [name, content] of contents) {
      expect(readFileSync(place.at(join(folder, name)), 'latin1'), name).toBe(content);
    }
  });
});

/** The number of packs in the store that are second names. */
async function linkedFiles(savepoint: Savepoint): Promise<number> {
  const folder = await packFolder(savepoint);
  return readdirSync(folder).filter((name) => name.endsWith('.pack') && statSync(join(folder, name)).nlink > 1).length;
}

/** git accepts the store. */
async function expectSound(savepoint: Savepoint): Promise<void> {
  const bare = dirname(dirname(await packFolder(savepoint)));
  git(bare, 'fsck', '--strict', '--no-dangling');
}
