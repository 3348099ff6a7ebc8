import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { disk, everything, Machine } from './bundle-world.ts';

/** A bundle over clones of its repositories. Git makes the clones, and says what their branches are. */

/** Two repositories with a server each, a checkpoint of work in progress, and a bundle of it. */
async function exported(): Promise<{ readonly here: Machine; readonly file: string }> {
  const here = new Machine();
  for (const name of ['front', 'back']) {
    here.git(['init', '-q', '-b', 'main', `seed-${name}`]);
    here.write('a.txt', `${name} one\n`, `seed-${name}`);
    here.write('gone.txt', 'gone\n', `seed-${name}`);
    here.git(['-C', `seed-${name}`, 'add', '.']);
    here.git(['-C', `seed-${name}`, 'commit', '-q', '-m', `first of ${name}`]);
    here.git(['clone', '-q', '--bare', `seed-${name}`, `${name}.git`]);
    here.git(['clone', '-q', `${name}.git`, `workspace/${name}`]);
  }
  here.git(['-C', 'workspace/front', 'switch', '-q', '-c', 'work']);
  const savepoint = here.open();
  await savepoint.checkpoint({ message: 'as cloned' });
  here.write('front/a.txt', 'front two\n');
  here.write('front/new.txt', 'new\n');
  rmSync(here.at('workspace/back/gone.txt'));
  here.write('plain.txt', 'of no repository\n');
  await savepoint.checkpoint({ message: 'work in progress' });
  const file = here.at('work.bundle');
  await savepoint.createBundle(disk(file));
  return { here, file };
}

function cloneTo(there: Machine, here: Machine, names: readonly string[] = ['front', 'back']): void {
  for (const name of names) there.git(['clone', '-q', here.at(`${name}.git`), `restored/${name}`]);
}

const OVER = { overwrite: true } as const;

function restoreOver(
  there: Machine,
  file: string,
  options: { readonly git?: boolean; readonly expected?: string } = {},
) {
  return there.open().restoreBundle(disk(file), disk(there.at('restored')), { ...OVER, ...options });
}

/** Without the index of stores, which only repeats what they have, and the folders of a new home. */
function stateOf(machine: Machine): string {
  return machine
    .state()
    .split('\n')
    .filter((line) => !/^home\/(?:lock\/|workspaces\/|workspaces\.json) /.test(line))
    .join('\n');
}

function filesOf(machine: Machine, folder: string): readonly string[] {
  return everything(machine.at(folder)).filter((line) => !line.includes('.git'));
}

describe('a bundle over clones of its repositories', () => {
  test('makes the files equal, leaves .git alone, and can be undone', async () => {
    const { here, file } = await exported();
    const there = new Machine();
    cloneTo(there, here);
    there.write('front/mine.txt', 'not saved anywhere\n', 'restored');
    const before = everything(there.at('restored'));
    const done = await restoreOver(there, file);
    expect(done).toMatchObject({ isNew: true, restored: { id: 'cp_2' } });
    expect(done.added.map(({ id }) => id)).toEqual(['cp_1', 'cp_2']);
    expect(filesOf(there, 'restored')).toEqual(filesOf(here, 'workspace'));
    const isGit = (line: string): boolean => line.includes('.git/');
    expect(everything(there.at('restored')).filter(isGit)).toEqual(before.filter(isGit));
    const restored = there.open('restored');
    expect((await restored.list()).checkpoints.map(({ id, trigger }) => `${id} ${trigger}`)).toEqual([
      'cp_4 restore',
      'cp_3 before',
      'cp_2 manual',
      'cp_1 manual',
    ]);
    await restored.undo();
    expect(everything(there.at('restored'))).toEqual(before);
    await restored.restore('cp_1');
    expect(readFileSync(there.at('restored/front/a.txt'), 'utf8')).toBe('front one\n');
    expect((await restored.verify({ deep: true })).damage).toEqual([]);
  });

  test('is only done if requested; the preview lists the paths and changes nothing', async () => {
    const { here, file } = await exported();
    const there = new Machine();
    cloneTo(there, here);
    const before = stateOf(there);
    expect(await failure(there.restore(file))).toMatchObject({ code: 'CONFLICT' });
    const preview = await there.open().previewRestoreBundle(disk(file), disk(there.at('restored')));
    expect(preview.operation?.plan.paths.map(({ path }) => path).filter((path) => path !== '')).toEqual([
      'back/gone.txt',
      'front/a.txt',
      'front/new.txt',
      'plain.txt',
    ]);
    expect(stateOf(there)).toBe(before);
    there.write('front/a.txt', 'changed after the preview\n', 'restored');
    const expected = preview.operation?.fingerprint ?? '';
    const changed = stateOf(there);
    expect(await failure(restoreOver(there, file, { expected }))).toMatchObject({ code: 'CONFLICT' });
    expect(stateOf(there)).toBe(changed);
  });

  test('restores branch and HEAD as well if requested', async () => {
    const { here, file } = await exported();
    const there = new Machine();
    cloneTo(there, here);
    await restoreOver(there, file, { git: true });
    expect(there.git(['-C', 'restored/front', 'branch', '--show-current'])).toBe('work');
    expect(there.git(['-C', 'restored/back', 'branch', '--show-current'])).toBe('main');
    expect(there.git(['-C', 'restored/front', 'status', '--porcelain'])).toBe('M a.txt\n?? new.txt');
    await there.open('restored').undo();
    expect(there.git(['-C', 'restored/front', 'branch', '--show-current'])).toBe('main');
    expect(there.git(['-C', 'restored/front', 'status', '--porcelain'])).toBe('');
  });

  test('is refused if a repository is missing or is another one, with its name', async () => {
    const { here, file } = await exported();
    const there = new Machine();
    cloneTo(there, here, ['front']);
    const missing = await failure(restoreOver(there, file));
    expect(missing).toMatchObject({ code: 'GIT_REFUSED', data: { repositories: [{ path: 'back' }] } });
    // Another repository under that name.
    there.git(['clone', '-q', here.at('front.git'), 'restored/back']);
    const before = stateOf(there);
    const other = await failure(restoreOver(there, file));
    expect(other).toMatchObject({
      code: 'GIT_REFUSED',
      data: { repositories: [{ path: 'back', why: expect.stringContaining('none of the commits') }] },
    });
    expect(stateOf(there)).toBe(before);
  });

  test('is a clone even if its branch has moved on, on the server and in the bundle', async () => {
    const { here } = await exported();
    const there = new Machine();
    here.write('a.txt', 'front later\n', 'seed-front');
    here.git(['-C', 'seed-front', 'commit', '-q', '-a', '-m', 'later']);
    here.git(['-C', 'seed-front', 'push', '-q', here.at('front.git'), 'main']);
    // A commit that no server has.
    here.git(['-C', 'workspace/front', 'commit', '-q', '-a', '-m', 'local']);
    await here.open().checkpoint({ message: 'committed' });
    const file = here.at('later.bundle');
    await here.open().createBundle(disk(file));
    cloneTo(there, here);
    await restoreOver(there, file);
    expect(filesOf(there, 'restored')).toEqual(filesOf(here, 'workspace'));
    expect(there.git(['-C', 'restored/front', 'log', '-1', '--format=%s'])).toBe('later');
  });

  test('works where the workspace itself is the repository', async () => {
    const here = new Machine();
    const there = new Machine();
    here.git(['init', '-q', '-b', 'main', 'workspace']);
    here.write('a.txt', 'one\n');
    here.git(['-C', 'workspace', 'add', '.']);
    here.git(['-C', 'workspace', 'commit', '-q', '-m', 'first']);
    here.git(['clone', '-q', '--bare', 'workspace', 'server.git']);
    here.write('a.txt', 'two\n');
    await here.open().checkpoint();
    await here.open().createBundle(disk(here.at('x.bundle')));
    there.git(['clone', '-q', here.at('server.git'), 'restored']);
    await restoreOver(there, here.at('x.bundle'));
    expect(there.git(['-C', 'restored', 'status', '--porcelain'])).toBe('M a.txt');
    expect(readFileSync(there.at('restored/a.txt'), 'utf8')).toBe('two\n');
  });

  test('a folder without any repository of the bundle is refused as before', async () => {
    const here = new Machine();
    const there = new Machine();
    here.write('a.txt', 'one\n');
    await here.open().checkpoint();
    await here.open().createBundle(disk(here.at('x.bundle')));
    there.write('b.txt', 'mine\n', 'restored');
    const before = stateOf(there);
    expect(await failure(restoreOver(there, here.at('x.bundle')))).toMatchObject({ code: 'CONFLICT' });
    expect(stateOf(there)).toBe(before);
  });

  test('is completed by repeating the command if only its checkpoints were added', async () => {
    const { here, file } = await exported();
    const there = new Machine();
    await there.restore(file);
    // What a death between the checkpoints and the files leaves: the checkpoints, and the clones as they were.
    rmSync(there.at('restored'), { recursive: true });
    cloneTo(there, here);
    expect(await there.restore(file)).toMatchObject({ added: [], restored: null });
    const done = await restoreOver(there, file);
    expect(done).toMatchObject({ isNew: false, added: [], restored: { id: 'cp_2' } });
    expect(filesOf(there, 'restored')).toEqual(filesOf(here, 'workspace'));
    expect(await restoreOver(there, file)).toMatchObject({ added: [], restored: null, paths: [] });
  });
});
