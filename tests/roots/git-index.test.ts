import fs from 'node:fs';
import path from 'node:path';
import { open, type Savepoint } from '@savepoint/core';
import { git, realPorts, type World, world } from '@savepoint/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';

const GIT = { git: true, mode: 'exact' } as const;

/** A repository as a workspace. */
class Place {
  readonly world: World = world(onTestFinished);
  readonly dir = Buffer.from(this.world.workspace, 'latin1').toString();

  constructor() {
    for (const name of ['a', 'b', 'c', 'd']) this.write(name, `${name} 1\n${'some text\n'.repeat(20)}`);
    this.git('init', '-q', '-b', 'main');
    this.commit('first');
  }

  open(recordIndex = true): Savepoint {
    const places = { ...this.world.places, searchPath: process.env['PATH'] ?? '' };
    return open({ dir: this.world.workspace, ports: realPorts(), places, recordIndex });
  }

  at(name: string): string {
    return path.join(this.dir, name);
  }

  write(name: string, content: string): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content);
  }

  git(...args: readonly string[]): string {
    return git(this.dir, ...args);
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
  }

  /** What a person sees of it, and what git would commit. */
  state(): unknown {
    return {
      head: this.git('rev-parse', 'HEAD'),
      status: this.git('status', '--porcelain'),
      entries: this.git('ls-files', '--stage', '-v'),
      toAdd: this.git('ls-files', '--debug').match(/flags: \w+/g),
      staged: this.git('diff', '--cached'),
      unstaged: this.git('diff'),
    };
  }

  store(): string {
    const home = Buffer.from(this.world.places.home, 'latin1').toString();
    const store = path.join(home, 'workspaces', fs.readdirSync(path.join(home, 'workspaces'))[0] as string);
    return path.join(store, 'objects.git');
  }

  /** What was staged and is nowhere else goes from the repository, as with time it does. */
  forgetStaged(): void {
    this.git('reflog', 'expire', '--expire=now', '--all');
    this.git('gc', '-q', '--prune=now');
  }
}

describe('restore --git with a recorded index', () => {
  const situations: Record<string, [string, (place: Place) => void]> = {
    'a staged new file': [
      'A  new\n',
      (p) => {
        p.write('new', 'new\n');
        p.git('add', 'new');
      },
    ],
    'a staged change, and one on top of it': [
      'MM a\n',
      (p) => {
        p.write('a', 'staged\n');
        p.git('add', 'a');
        p.write('a', 'later!\n');
      },
    ],
    'a change that is not staged': [' M a\n', (p) => p.write('a', 'changed\n')],
    'a file that is not tracked': ['?? new\n', (p) => p.write('new', 'new\n')],
    'a staged file that is gone again': [
      'AD new\n',
      (p) => {
        p.write('new', 'only staged\n');
        p.git('add', 'new');
        fs.rmSync(p.at('new'));
      },
    ],
    'a staged removal': ['D  b\n', (p) => p.git('rm', '-q', 'b')],
    'a removal of the index alone': ['D  b\n?? b\n', (p) => p.git('rm', '-q', '--cached', 'b')],
    'a rename': ['R  c -> e\n', (p) => p.git('mv', 'c', 'e')],
    'a mode': [
      'M  d\n',
      (p) => {
        fs.chmodSync(p.at('d'), 0o755);
        p.git('add', 'd');
      },
    ],
    'a file to be added': [
      ' A new\n',
      (p) => {
        p.write('new', 'new\n');
        p.git('add', '-N', 'new');
      },
    ],
    'a conflict': [
      'UU a\n',
      (p) => {
        p.write('a', 'stashed\n');
        p.git('stash', '-q');
        p.write('a', 'another\n');
        p.git('commit', '-q', '-am', 'another');
        expect(() => p.git('stash', 'pop', '-q')).toThrow();
        p.git('stash', 'drop', '-q');
      },
    ],
    'an index of version 4': [
      'A  deep/new\nMM a\n',
      (p) => {
        p.git('update-index', '--index-version', '4');
        p.write('deep/new', 'new\n');
        p.write('a', 'staged\n');
        p.git('add', '.');
        p.write('a', 'later!\n');
      },
    ],
  };

  it.each(Object.entries(situations))('brings back %s', async (_, [status, change]) => {
    const place = new Place();
    change(place);
    const { scan } = await place.open().checkpoint();
    expect(scan.problems).toEqual([]);
    const then = place.state();
    expect(sorted(place.git('status', '--porcelain'))).toEqual(sorted(status));
    place.git('reset', '-q', '--hard');
    place.git('clean', '-qfd');
    place.write('a', 'second\n');
    place.commit('second');
    place.write('b', 'third\n');
    place.git('add', 'b');
    place.forgetStaged();
    const later = [place.state(), fs.readFileSync(place.at('.git/index'))];
    await place.open().restore('cp_1', GIT);
    expect(place.state()).toEqual(then);
    place.git('fsck', '--strict');
    await place.open().undo();
    expect(fs.readFileSync(place.at('.git/index'))).toEqual(later[1]);
    expect(place.state()).toEqual(later[0]);
    git(place.store(), 'fsck', '--strict');
  });
});

function sorted(lines: string): string[] {
  return lines.split('\n').sort();
}
