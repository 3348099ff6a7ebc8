import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  GIT_ENV,
  git,
  realPorts,
  type SeededRandom,
  seededRandom,
  testEffort,
  type World,
  world,
} from '@savepoint/testkit';
import { describe, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { Pace } from '../../../src/io/pace.ts';
import type { CaptureRules } from '../../../src/model/checkpoint.ts';
import { bytesFromText, type DiskPath } from '../../../src/model/names.ts';
import { OwnPaths } from '../../../src/store/own-paths.ts';
import { type Survey, type SurveyedRoot, survey } from '../../../src/workspace/survey/survey.ts';

const RULES: CaptureRules = { maxFileBytes: 1e9, maxIgnoredBytes: 1e6 };

class Place {
  readonly world: World = world(onTestFinished);
  readonly dir = Buffer.from(this.world.workspace, 'latin1').toString();

  at(name: string): string {
    return join(this.dir, name);
  }

  write(name: string, content: string): void {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
  }

  git(...args: string[]): string {
    return git(this.dir, '-c', 'protocol.file.allow=always', ...args);
  }

  /** Creates a repository with a commit. */
  init(folder = '', ...args: string[]): void {
    mkdirSync(this.at(folder), { recursive: true });
    git(this.at(folder), 'init', '-q', '-b', 'main', ...args);
    this.write(join(folder, 'a.txt'), 'a\n');
    this.write(join(folder, 'dir/b.txt'), 'b\n');
    this.write(join(folder, 'dir/deep/c.txt'), 'c\n');
    this.commit(folder);
  }

  commit(folder = ''): void {
    git(this.at(folder), 'add', '-A');
    git(this.at(folder), 'commit', '-q', '-m', 'commit', '--allow-empty');
  }

  /** Makes the index's data about the files old enough to be trusted. */
  makeOld(folder = ''): void {
    const names = git(this.at(folder), 'ls-files', '-z').split('\0').slice(0, -1);
    for (const name of names) utimesSync(this.at(join(folder, name)), 1_600_000_000, 1_600_000_000);
    git(this.at(folder), 'update-index', '-q', '--refresh');
  }

  /** Whether the file exists and differs from the index. */
  differs(name: string): boolean {
    try {
      return this.git('hash-object', '--no-filters', name).trim() !== this.git('rev-parse', `:${name}`).trim();
    } catch {
      return false;
    }
  }

  async survey(folder = '', rules: CaptureRules = RULES): Promise<Survey> {
    const ports = realPorts();
    return survey({
      ports,
      root: bytesFromText(this.at(folder).replace(/\/$/, '')) as DiskPath,
      rules,
      globalIgnore: null,
      own: OwnPaths.NONE,
      pace: new Pace(ports.clock),
    });
  }

  async root(path = ''): Promise<SurveyedRoot> {
    const found = (await this.survey()).roots.find(({ root }) => root.path === path);
    if (found === undefined) throw new Error(`no root ${path}`);
    return found;
  }

  /** The paths that git reports, without nested repositories. */
  gitSays(folder = ''): string[] {
    const flags = ['--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=dirty'];
    const said = git(this.at(folder), 'status', ...flags)
      .split('\0')
      .slice(0, -1);
    return [...new Set(said.map((line) => line.slice(3)))].sort();
  }
}

const seed = Number(process.env['SAVEPOINT_SEED'] ?? (process.env['CI'] === undefined ? Date.now() % 1e9 : 7));
const FILES = [
  'a.txt',
  'dir/b.txt',
  'dir/deep/c.txt',
  'new.txt',
  'new/x',
  'new/y/z',
  'dir/n',
  'x.log',
  'out/o',
  'node_modules/m/i',
];
const ACTIONS: Record<string, (p: Place, file: string, random: SeededRandom) => void> = {
  write: (p, file, random) => p.write(file, random.pick(['a\n', 'b\n', 'long\nlong\n', ''])),
  remove: (p, file) => rmSync(p.at(file), { recursive: true }),
  'remove folder': (p, file) => rmSync(p.at(file.split('/')[0] as string), { recursive: true }),
  stage: (p, file) => void p.git('add', '-f', file),
  'stage all': (p) => void p.git('add', '-A'),
  unstage: (p, file) => void p.git('rm', '-q', '-f', '--cached', file),
  commit: (p) => void p.git('commit', '-q', '-m', 'commit', '--allow-empty'),
  mode: (p, file, random) => chmodSync(p.at(file), random.pick([0o644, 0o755])),
  link: (p, file) => {
    rmSync(p.at(file), { force: true });
    symlinkSync('a.txt', p.at(file));
  },
  ignore: (p, _file, random) =>
    p.write('.gitignore', random.pick(['*.log\n', 'out/\nnew\n', '/dir/deep\n', 'node_modules\n'])),
  'reset softly': (p) => void p.git('reset', '-q', '--soft', 'HEAD~1'),
  reset: (p) => void p.git('reset', '-q'),
  stash: (p) => void p.git('stash', '-q'),
  pop: (p) => void p.git('stash', 'pop', '-q'),
  pack: (p) => void p.git('gc', '-q'),
  makeOld: (p) => p.makeOld(),
  split: (p) => void p.git('update-index', '--split-index'),
  move: (p, file) => void p.git('mv', '-k', file, 'moved.txt'),
};

function paths({ work }: SurveyedRoot): string[] {
  return work.changes.map(({ path }) => path).sort();
}

describe('how dirty a repository is', () => {
  const situations: Record<string, (place: Place) => void> = {
    'nothing changed': () => {},
    'nothing changed, and all of it old': (p) => p.makeOld(),
    modified: (p) => p.write('a.txt', 'other\n'),
    'modified to the same size': (p) => p.write('a.txt', 'x\n'),
    'touched, with nothing changed': (p) => {
      p.makeOld();
      utimesSync(p.at('a.txt'), 1_650_000_000, 1_650_000_000);
    },
    staged: (p) => {
      p.write('a.txt', 'other\n');
      p.git('add', 'a.txt');
    },
    'staged, and put back in the folder': (p) => {
      p.write('a.txt', 'other\n');
      p.git('add', 'a.txt');
      p.write('a.txt', 'a\n');
    },
    'staged new file': (p) => {
      p.write('dir/new.txt', 'n');
      p.git('add', 'dir/new.txt');
    },
    'intent to add': (p) => {
      p.write('dir/new.txt', 'n');
      p.git('add', '-N', 'dir/new.txt');
    },
    deleted: (p) => rmSync(p.at('dir/b.txt')),
    'deleted with its folder': (p) => rmSync(p.at('dir'), { recursive: true }),
    'staged deletion': (p) => void p.git('rm', '-q', 'dir/b.txt'),
    'staged deletion of what is still there': (p) => void p.git('rm', '-q', '--cached', 'dir/b.txt'),
    'renamed in the index': (p) => void p.git('mv', 'dir/b.txt', 'dir/z.txt'),
    untracked: (p) => p.write('new.txt', 'n'),
    'untracked folder counts as one': (p) => {
      p.write('new/x/1', '1');
      p.write('new/x/2', '2');
      p.write('dir/deep/er/1', '1');
    },
    'empty folder': (p) => mkdirSync(p.at('empty/er'), { recursive: true }),
    ignored: (p) => {
      p.write('.gitignore', '*.log\n/out/\n');
      p.commit();
      p.write('x.log', 'x');
      p.write('out/1', '1');
      p.write('sub/only/ignored.log', '1');
    },
    'ignored and tracked': (p) => {
      p.write('x.log', 'x');
      p.write('out/1', '1');
      p.commit();
      p.write('.gitignore', '*.log\nout/\n');
      p.commit();
      p.write('x.log', 'y');
      p.write('out/1', 'z');
      p.write('out/2', '2');
    },
    'a dependency folder that nothing ignores': (p) => p.write('node_modules/p/index.js', '1'),
    'a dependency folder that is ignored': (p) => {
      p.write('.gitignore', 'node_modules\n');
      p.write('node_modules/p/index.js', '1');
    },
    'a dependency folder that is tracked': (p) => {
      p.write('node_modules/p/index.js', '1');
      p.commit();
      p.write('node_modules/p/index.js', '22');
    },
    mode: (p) => chmodSync(p.at('a.txt'), 0o755),
    'mode, and modes are not trusted': (p) => {
      p.git('config', 'core.filemode', 'false');
      chmodSync(p.at('a.txt'), 0o755);
    },
    'staged mode': (p) => void p.git('update-index', '--chmod=+x', 'a.txt'),
    'a file became a link': (p) => {
      rmSync(p.at('a.txt'));
      symlinkSync('dir/b.txt', p.at('a.txt'));
    },
    'a link, then another one': (p) => {
      symlinkSync('a.txt', p.at('link'));
      p.commit();
      rmSync(p.at('link'));
      symlinkSync('dir', p.at('link'));
    },
    'a link to a folder is not followed': (p) => {
      symlinkSync('dir', p.at('link'));
      p.commit();
    },
    'a folder became a link': (p) => {
      renameSync(p.at('dir'), p.at('other'));
      symlinkSync('other', p.at('dir'));
    },
    'a file became a folder': (p) => {
      rmSync(p.at('a.txt'));
      p.write('a.txt/in', 'x');
    },
    'assumed unchanged': (p) => {
      p.git('update-index', '--assume-unchanged', 'a.txt');
      p.write('a.txt', 'other\n');
    },
    'left out of the folder': (p) => {
      p.git('update-index', '--skip-worktree', 'a.txt');
      rmSync(p.at('a.txt'));
    },
    sparse: (p) => void p.git('sparse-checkout', 'set', '--no-sparse-index', 'other'),
    'sparse, with a file that is there all the same': (p) => {
      p.git('sparse-checkout', 'set', '--no-sparse-index', 'other');
      p.write('dir/b.txt', 'here\n');
    },
    'sparse index': (p) => void p.git('sparse-checkout', 'set', '--sparse-index', 'other'),
    'no commit yet': (p) => {
      p.git('checkout', '-q', '--orphan', 'fresh');
      p.git('rm', '-q', '--cached', 'a.txt');
    },
    'no index': (p) => rmSync(p.at('.git/index')),
    detached: (p) => void p.git('checkout', '-q', '--detach'),
    'HEAD moved under it': (p) => {
      p.write('a.txt', '2\n');
      p.commit();
      p.git('reset', '-q', '--soft', 'HEAD~1');
    },
    'merge with conflicts': (p) => {
      diverge(p);
      tryGit(p.dir, 'merge', 'side');
    },
    'rebase in flight': (p) => {
      diverge(p);
      tryGit(p.dir, 'rebase', 'side');
    },
    packed: (p) => {
      p.write('a.txt', '2\n');
      p.commit();
      p.git('gc', '-q');
      p.write('dir/b.txt', '2\n');
      p.git('add', '-A');
    },
    'split index': (p) => {
      p.git('update-index', '--split-index');
      p.write('dir/b.txt', '2\n');
      p.git('add', '-A');
      p.write('new', '2\n');
    },
    'index of version 4': (p) => {
      p.git('update-index', '--index-version', '4');
      p.write('dir/b.txt', '2\n');
      p.git('add', '-A');
    },
    'line ends that nothing converts': (p) => {
      p.write('crlf.txt', 'a\r\nb\r\n');
      p.commit();
    },
    'attributes that convert nothing': (p) => {
      p.write('.gitattributes', '*.txt diff=x merge=union -text\n*.png binary\n');
      p.commit();
      p.write('a.txt', 'q\n');
    },
    'attributes of line ends, and a file without them': (p) => {
      p.write('.gitattributes', '* text=auto\n');
      p.commit();
      p.write('a.txt', 'q\n');
    },
    'names that need quotes': (p) => {
      p.write('new\nline', '1');
      p.write('sp ace/"q"', '1');
      p.write('caf\u00e9', '1');
      p.commit();
      p.write('new\nline', '2');
    },
  };

  test.skipIf(process.platform === 'win32').each(Object.entries(situations))(
    'agrees with git: %s',
    async (_, change) => {
      const place = new Place();
      place.init();
      change(place);
      const found = await place.root();
      const names = place.gitSays().map(bytesFromText);
      // Git compares only seconds, so it misses a change that keeps the size and restores the time.
      const overlooked = paths(found).filter((path) => !names.includes(path) && place.differs(path));
      const reported = paths(found).filter((path) => !overlooked.includes(path));
      expect({ paths: reported, problems: found.work.problems }).toEqual({ paths: names, problems: [] });
      expect(found.work.state).toBe(names.length === 0 ? 'clean' : 'dirty');
    },
  );

  test.skipIf(process.platform === 'win32')(`is as git says after anything at all (seed ${seed})`, async () => {
    onTestFailed(() => console.error(`SAVEPOINT_SEED=${seed}`));
    const random = seededRandom(seed);
    for (let round = 0; round < testEffort({ quick: 3, ci: 12, long: 300 }); round++) {
      const place = new Place();
      place.init();
      const done: string[] = [];
      for (let left = 3 + random.integer(12); left > 0; left--) {
        const file = random.pick(FILES);
        const [name, action] = random.pick(Object.entries(ACTIONS));
        done.push(`${name} ${file}`);
        try {
          action(place, file, random);
        } catch {
          // git or the file system refuses an operation that is impossible at the moment.
        }
      }
      const found = await place.root();
      const names = place.gitSays().map(bytesFromText);
      // Git compares only seconds, so it misses a change that keeps the size and restores the time.
      const overlooked = paths(found).filter((path) => !names.includes(path) && place.differs(path));
      const reported = paths(found).filter((path) => !overlooked.includes(path));
      expect({ paths: reported, problems: found.work.problems }, done.join('\n')).toEqual({
        paths: names,
        problems: [],
      });
    }
  });

  test('a change that keeps size and mtime is found', async () => {
    const place = new Place();
    place.init();
    place.makeOld();
    place.write('a.txt', 'x\n');
    utimesSync(place.at('a.txt'), 1_600_000_000, 1_600_000_000);
    expect(paths(await place.root())).toEqual(['a.txt']);
  });

  test('files that git may convert are unknown, neither clean nor dirty', async () => {
    const place = new Place();
    place.init();
    place.write('.gitattributes', '*.bin filter=x\n');
    place.write('x.bin', 'x');
    place.write('crlf.txt', 'one\n');
    place.commit();
    place.makeOld();
    expect((await place.root()).work).toEqual({ state: 'clean', changes: [], problems: [] });
    place.write('x.bin', 'y');
    place.write('crlf.txt', 'one\r\n');
    const { work } = await place.root();
    expect(work).toMatchObject({ state: 'unknown', changes: [] });
    expect(work.problems).toEqual([expect.stringContaining('2 paths cannot be compared without git')]);
    place.write('crlf.txt', 'two\r\n');
    expect(paths(await place.root())).toEqual(['crlf.txt']);
  });
});

function diverge(p: Place): void {
  p.git('checkout', '-q', '-b', 'side');
  p.write('a.txt', 'side\n');
  p.commit();
  p.git('checkout', '-q', 'main');
  p.write('a.txt', 'main\n');
  p.commit();
}

/** Ignores failures: git fails when a merge stops. */
function tryGit(folder: string, ...args: string[]): void {
  try {
    execFileSync('git', args, { cwd: folder, env: { ...process.env, ...GIT_ENV }, stdio: 'pipe' });
  } catch {}
}
