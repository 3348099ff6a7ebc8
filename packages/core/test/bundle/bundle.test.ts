import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { disk, everything, Machine, smallBundle } from './bundle-world.ts';

/** Bundles from one machine to another. Git checks what they contain. */

describe('a bundle', () => {
  test('can be verified and cloned by git, and fsck reports no error', async () => {
    const here = new Machine();
    const file = await smallBundle(here);
    here.git(['init', '-q', 'judge']);
    here.git(['-C', 'judge', 'bundle', 'verify', file]);
    here.git(['clone', '-q', file, 'clone']);
    here.git(['-C', 'clone', 'fsck', '--strict']);
    expect(here.git(['-C', 'clone', 'log', '--format=%s', '--reverse'])).toBe(
      'cp_1: first checkpoint\ncp_2: 1 file, +1 −1: a.txt',
    );
    expect(readFileSync(here.at('clone/files/a.txt'), 'utf8')).toBe('two\n');
    expect(here.git(['-C', 'clone', 'show', 'HEAD~1:files/a.txt'])).toBe('one');
  });

  test('of the same checkpoints has the same bytes, also if it was created from a restored bundle', async () => {
    const here = new Machine();
    const there = new Machine();
    const file = await smallBundle(here);
    await here.open().createBundle(disk(here.at('again.bundle')));
    await there.restore(file);
    await there.open('restored').createBundle(disk(there.at('back.bundle')));
    const bytes = readFileSync(file);
    expect(readFileSync(here.at('again.bundle')).equals(bytes)).toBe(true);
    expect(readFileSync(there.at('back.bundle')).equals(bytes)).toBe(true);
  });

  test('of more checkpoints starts with the commits of one of fewer', async () => {
    const here = new Machine();
    const savepoint = here.open();
    await smallBundle(here);
    here.write('a.txt', 'three\n');
    await savepoint.checkpoint();
    const second = await savepoint.createBundle(disk(here.at('second.bundle')));
    here.git(['clone', '-q', 'small.bundle', 'clone']);
    here.git(['-C', 'clone', 'fetch', '-q', here.at('second.bundle'), 'timeline:longer']);
    here.git(['-C', 'clone', 'merge-base', '--is-ancestor', 'HEAD', 'longer']);
    expect(here.git(['-C', 'clone', 'rev-parse', 'longer'])).toBe(second.tip);
  });

  test('never replaces a file unless requested, and is never written into a .git or the store', async () => {
    const here = new Machine();
    const file = await smallBundle(here);
    const savepoint = here.open();
    const before = readFileSync(file);
    here.write('more', 'more\n');
    await savepoint.checkpoint();
    expect(await failure(savepoint.createBundle(disk(file)))).toMatchObject({ code: 'CONFLICT' });
    expect(readFileSync(file).equals(before)).toBe(true);
    await savepoint.createBundle(disk(file), { overwrite: true });
    expect(readFileSync(file).equals(before)).toBe(false);
    mkdirSync(here.at('workspace/.git'));
    for (const name of ['workspace/.git/x', 'home/x', 'workspace/.GIT/x']) {
      expect(await failure(savepoint.createBundle(disk(here.at(name))))).toMatchObject({ code: 'PATH_REFUSED' });
    }
    symlinkSync(here.at('home'), here.at('way'));
    expect(await failure(savepoint.createBundle(disk(here.at('way/x'))))).toMatchObject({ code: 'PATH_REFUSED' });
    expect(await failure(savepoint.createBundle(disk(here.at('none/x'))))).toMatchObject({ code: 'IO' });
  });

  test('contains no private file, and nothing about one except its name', async () => {
    const here = new Machine();
    here.write('.gitignore', 'local.txt\nnotes/\n');
    here.write('.env.local', 'TOKEN=tok-in-env-file\n');
    here.write('keys/server.pem', 'tok-in-key\n');
    here.write('local.txt', 'tok-in-ignored-file\n');
    here.write('notes/deep/n.txt', 'tok-in-ignored-folder\n');
    here.write('a.txt', 'public\n');
    const savepoint = here.open();
    await savepoint.checkpoint();
    here.write('.env.local', 'TOKEN=tok-changed\n');
    rmSync(here.at('workspace/notes'), { recursive: true });
    await savepoint.checkpoint();
    const reported = await savepoint.createBundle(disk(here.at('x.bundle')));
    expect(reported.leftOut).toBe(3);
    here.git(['clone', '-q', 'x.bundle', 'clone']);
    const objects = here.git(['-C', 'clone', 'cat-file', '--batch', '--batch-all-objects']);
    expect(objects).toContain('public');
    expect(objects).not.toContain('tok-');
    for (const text of ['TOKEN=tok-in-env-file\n', 'TOKEN=tok-changed\n', 'tok-in-ignored-folder\n']) {
      const id = here.git(['hash-object', '--stdin'], { input: Buffer.from(text) });
      expect(objects).not.toContain(id);
    }
    await savepoint.createBundle(disk(here.at('y.bundle')), { private: true });
    here.git(['clone', '-q', 'y.bundle', 'all']);
    expect(readFileSync(here.at('all/files/.env.local'), 'utf8')).toBe('TOKEN=tok-changed\n');
  });

  test('contains no messages unless requested', async () => {
    const here = new Machine();
    here.write('a.txt', 'one\n');
    const savepoint = here.open();
    const session = savepoint.session({ agent: 'mine', id: 's-1' });
    await session.start();
    await session.prompt('The password is tok-prompt.', 'm-1');
    await session.message('m-2', 'I am told that it is tok-prompt.');
    await session.call({ tool: 'Bash', kind: 'shell', args: { command: 'echo tok-argument' }, id: 'c-1' }, () =>
      here.write('a.txt', 'two\n'),
    );
    here.write('a.txt', 'three\n');
    await savepoint.checkpoint({ message: 'Before tok-description' });
    const path = 'a.txt' as TreePath;
    const edits = [{ op: 'write', content: 'four\n', exact: true }] as const;
    await savepoint.edit([{ given: path, path, edits, expectedHash: null, force: false }], {
      message: 'As tok-description',
    });
    await savepoint.undo();
    await savepoint.redo();
    await savepoint.createBundle(disk(here.at('x.bundle')));
    await savepoint.createBundle(disk(here.at('y.bundle')), { messages: true });
    for (const [name, count] of [
      ['x', 0],
      ['y', 1],
    ] as const) {
      here.git(['clone', '-q', `${name}.bundle`, name]);
      const all = here.git(['-C', name, 'cat-file', '--batch', '--batch-all-objects']) + here.git(['-C', name, 'log']);
      expect(all.includes('tok-prompt')).toBe(count === 1);
      expect(all.includes('tok-argument')).toBe(count === 1);
      expect(all.includes('tok-description')).toBe(count === 1);
    }
    expect(here.git(['-C', 'x', 'log', '--format=%s', '--reverse'])).toBe(
      'cp_1: session of mine started\ncp_2: Prompt\ncp_3: Message\ncp_4: Bash (1 file)\n' +
        'cp_5: 1 file, +1 −1: a.txt\ncp_6: Edited 1 file, +1 −1: a.txt\ncp_7: Undid cp_6\ncp_8: Redid cp_7',
    );
  });

  test('of a session contains its checkpoints and the contents that its changes need', async () => {
    const here = new Machine();
    const there = new Machine();
    here.write('a.txt', 'one\n');
    const savepoint = here.open();
    await savepoint.checkpoint();
    here.write('a.txt', 'two\n');
    await savepoint.checkpoint();
    const session = savepoint.session({ agent: 'mine', id: 's-1' });
    await session.call({ tool: 'Write', kind: 'write', args: {}, id: 'c-1' }, () => here.write('a.txt', 'three\n'));
    here.write('b.txt', 'mine\n');
    await savepoint.checkpoint();
    const reported = await savepoint.createBundle(disk(here.at('s.bundle')), { session: 's-1' });
    expect(reported.checkpoints.map(({ id }) => id)).toEqual(['cp_2', 'cp_3']);
    await there.restore(here.at('s.bundle'));
    const restored = there.open('restored');
    await restored.rollback({ session: 's-1' }, { least: 'likely' });
    expect(readFileSync(there.at('restored/a.txt'), 'utf8')).toBe('two\n');
    expect(await failure(savepoint.createBundle(disk(here.at('n.bundle')), { session: 's-2' }))).toMatchObject({
      code: 'UNKNOWN_SESSION',
    });
  });
});

describe('on an empty machine', () => {
  test('the folder is restored, and every checkpoint is available', async () => {
    const here = new Machine();
    const there = new Machine();
    here.write('front/.git/HEAD', 'ref: refs/heads/main\n');
    here.write('front/.git/config', '');
    here.write('front/a.txt', 'one\n');
    here.write('back/.git/HEAD', 'ref: refs/heads/main\n');
    here.write('back/b.txt', 'b\n');
    here.write('run.sh', '#!/bin/sh\n');
    chmodSync(here.at('workspace/run.sh'), 0o750);
    mkdirSync(here.at('workspace/empty'));
    symlinkSync('front/a.txt', here.at('workspace/link'));
    here.write('large.bin', Buffer.alloc(17 * 1024 * 1024, 'large'));
    const savepoint = here.open();
    await savepoint.checkpoint({ message: 'first' });
    here.write('front/a.txt', 'two\n');
    rmSync(here.at('workspace/back/b.txt'));
    await savepoint.checkpoint({ message: 'second' });
    await savepoint.createBundle(disk(here.at('all.bundle')));
    const reported = await there.restore(here.at('all.bundle'), 'deep/restored');
    expect(reported.added.map(({ id }) => id)).toEqual(['cp_1', 'cp_2']);
    const mine = everything(here.project).filter((line) => !line.includes('.git'));
    expect(everything(there.at('deep/restored'))).toEqual(mine);
    const restored = there.open('deep/restored');
    const { checkpoints } = await restored.list();
    expect(checkpoints.map(({ id, description }) => `${id} ${description}`)).toEqual([
      'cp_2 2 files, +1 −2: back/b.txt, front/a.txt',
      'cp_1 first checkpoint',
    ]);
    const status = await restored.status();
    expect(status.changed?.changes).toEqual([]);
    expect(status.moved).toBeNull();
    expect((await restored.verify({ deep: true })).damage).toEqual([]);
    expect((await restored.diff({ from: 'cp_1', to: 'cp_2' })).changes.map((one) => one.path)).toEqual([
      'back/b.txt',
      'front/a.txt',
    ]);
    await restored.restore('cp_1');
    expect(readFileSync(there.at('deep/restored/back/b.txt'), 'utf8')).toBe('b\n');
    await restored.undo();
    expect(everything(there.at('deep/restored'))).toEqual(mine);
  });

  test('a restore of a checkpoint leaves files alone that were not in the bundle', async () => {
    const here = new Machine();
    const there = new Machine();
    here.write('.env', 'SECRET=here\n');
    await smallBundle(here);
    await there.restore(here.at('small.bundle'));
    there.write('.env', 'SECRET=there\n', 'restored');
    const preview = await there.open('restored').previewRestore('cp_1');
    expect(preview.plan.kept).toEqual([{ path: '.env', why: 'cp_1 did not capture it (private)' }]);
    await there.open('restored').restore('cp_1');
    expect(readFileSync(there.at('restored/.env'), 'utf8')).toBe('SECRET=there\n');
  });

  test('a folder with contents, a file and a home are refused, and nothing is changed', async () => {
    const here = new Machine();
    const there = new Machine();
    const file = await smallBundle(here);
    there.write('mine.txt', 'mine\n', 'busy');
    writeFileSync(there.at('file'), '');
    const before = there.state();
    expect(await failure(there.restore(file, 'busy'))).toMatchObject({ code: 'CONFLICT' });
    expect(await failure(there.restore(file, 'file'))).toMatchObject({ code: 'ROOT_REFUSED' });
    expect(await failure(there.restore(file, 'user'))).toMatchObject({ code: 'ROOT_REFUSED' });
    expect(await failure(there.restore(file, 'home/x'))).toMatchObject({ code: 'PATH_REFUSED' });
    expect(await failure(there.restore(file, 'x/.git/y'))).toMatchObject({ code: 'PATH_REFUSED' });
    expect(await failure(there.restore(there.at('none.bundle')))).toMatchObject({ code: 'IO' });
    expect(there.state()).toBe(before);
  });
});

describe('a second bundle', () => {
  async function first(): Promise<{ readonly here: Machine; readonly there: Machine }> {
    const here = new Machine();
    const there = new Machine();
    await there.restore(await smallBundle(here));
    return { here, there };
  }

  async function next(here: Machine, since: string, content: string): Promise<string> {
    here.write('a.txt', content);
    const savepoint = here.open();
    await savepoint.checkpoint({ message: content.trim() });
    const file = here.at(`since-${since}.bundle`);
    await savepoint.createBundle(disk(file), { since });
    return file;
  }

  test('continues where the first ended, for Savepoint and for git', async () => {
    const { here, there } = await first();
    const file = await next(here, 'cp_2', 'three\n');
    here.git(['clone', '-q', 'small.bundle', 'clone']);
    here.git(['-C', 'clone', 'bundle', 'verify', file]);
    here.git(['-C', 'clone', 'pull', '-q', '--ff-only', file, 'timeline']);
    const reported = await there.restore(file);
    expect(reported).toMatchObject({ isNew: false, restored: { id: 'cp_3' }, paths: ['a.txt'] });
    expect(readFileSync(there.at('restored/a.txt'), 'utf8')).toBe('three\n');
    expect((await there.open('restored').status()).changed?.changes).toEqual([]);
    const before = there.state();
    expect(await there.restore(file)).toMatchObject({ added: [], restored: null });
    expect(await there.restore(here.at('small.bundle'))).toMatchObject({ added: [], restored: null });
    expect(there.state()).toBe(before);
  });

  test('continues after old checkpoints were dropped on either side', async () => {
    const { here, there } = await first();
    const keep = { maxCheckpoints: 1, keepAtLeast: 1, maxAgeDays: null, maxSessions: null };
    const drop = async (machine: Machine, dir: string): Promise<readonly string[]> => {
      const savepoint = machine.open(dir);
      for (const checkpoint of (await savepoint.list()).checkpoints.slice(1)) {
        await savepoint.gc({ retention: { ...keep, maxStoreBytes: null } });
        expect(checkpoint.number).toBeGreaterThan(0);
      }
      return (await savepoint.list()).checkpoints.map(({ id }) => id);
    };
    await there.restore(await next(here, 'cp_2', 'three\n'));
    await there.restore(await next(here, 'cp_3', 'four\n'));
    expect(await drop(here, 'workspace')).not.toContain('cp_1');
    await there.restore(await next(here, 'cp_4', 'five\n'));
    expect(await drop(there, 'restored')).not.toContain('cp_1');
    const reported = await there.restore(await next(here, 'cp_5', 'six\n'));
    expect(reported.added.map(({ id }) => id)).toEqual(['cp_6']);
    expect(readFileSync(there.at('restored/a.txt'), 'utf8')).toBe('six\n');
    const whole = here.at('whole.bundle');
    await here.open().createBundle(disk(whole));
    expect(await there.restore(whole)).toMatchObject({ restored: null });
    expect((await there.open('restored').verify({ deep: true })).damage).toEqual([]);
  });

  test('that starts too late reports what is missing', async () => {
    const { here, there } = await first();
    await next(here, 'cp_2', 'three\n');
    const file = await next(here, 'cp_3', 'four\n');
    const before = there.state();
    expect(await failure(there.restore(file))).toMatchObject({
      code: 'BUNDLE_INCOMPLETE',
      data: { needs: 'cp_3', newest: 'cp_2' },
    });
    const error = await failure(there.restore(file, 'other'));
    expect(error).toMatchObject({ code: 'BUNDLE_INCOMPLETE', data: { needs: 'cp_3', newest: null } });
    expect(there.state()).toBe(before);
  });

  test('never overwrites changes of the folder', async () => {
    const { here, there } = await first();
    const file = await next(here, 'cp_2', 'three\n');
    there.write('mine.txt', 'mine\n', 'restored');
    const before = there.state();
    const changed = await failure(there.restore(file));
    expect(changed).toMatchObject({ code: 'BUNDLE_DIVERGED', data: { checkpoint: 'cp_2', paths: ['mine.txt'] } });
    expect(there.state()).toBe(before);
    await there.open('restored').checkpoint();
    const after = there.state();
    expect(await failure(there.restore(file))).toMatchObject({
      code: 'BUNDLE_DIVERGED',
      data: { checkpoint: 'cp_3' },
    });
    expect(there.state()).toBe(after);
  });

  test('imports work that was done where the first was restored', async () => {
    const { here, there } = await first();
    const away = there.open('restored');
    there.write('a.txt', 'done there\n', 'restored');
    await away.checkpoint({ message: 'there' });
    await away.createBundle(disk(there.at('home.bundle')), { since: 'cp_2' });
    const reported = await here.restore(there.at('home.bundle'), 'workspace');
    expect(reported.added.map(({ id }) => id)).toEqual(['cp_3']);
    expect(readFileSync(path.join(here.project, 'a.txt'), 'utf8')).toBe('done there\n');
    expect((await here.open().list()).checkpoints.map(({ id }) => id)).toEqual(['cp_3', 'cp_2', 'cp_1']);
  });

  test('of another timeline is refused as another timeline', async () => {
    const { there } = await first();
    const third = new Machine();
    const before = there.state();
    expect(await failure(there.restore(await smallBundle(third)))).toMatchObject({ code: 'BUNDLE_DIVERGED' });
    expect(there.state()).toBe(before);
  });

  test('adds what an earlier bundle of a session left out', async () => {
    const here = new Machine();
    const there = new Machine();
    await smallBundle(here);
    const savepoint = here.open();
    const session = savepoint.session({ agent: 'mine', id: 's-1' });
    await session.call({ tool: 'Write', kind: 'write', args: {}, id: 'c-1' }, () => here.write('a.txt', 'three\n'));
    await savepoint.createBundle(disk(here.at('s.bundle')), { session: 's-1' });
    await savepoint.createBundle(disk(here.at('all.bundle')));
    await there.restore(here.at('s.bundle'));
    const reported = await there.restore(here.at('all.bundle'));
    expect(reported.added.map(({ id }) => id)).toEqual(['cp_1']);
    expect(reported.restored).toBeNull();
    expect((await there.open('restored').list()).checkpoints.map(({ id }) => id)).toEqual(['cp_3', 'cp_2', 'cp_1']);
  });
});

test('the file is private, and a failed write leaves nothing', async () => {
  const here = new Machine();
  const file = await smallBundle(here);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = everything(here.folder);
  const stop = new AbortController();
  stop.abort();
  const cancelled = here.open().createBundle(disk(here.at('c.bundle')), { signal: stop.signal });
  expect(await failure(cancelled)).toMatchObject({ code: 'CANCELLED' });
  expect(everything(here.folder)).toEqual(before);
});

test('only the timeline can be imported: every checkpoint is there to look at, and no file is written', async () => {
  const here = new Machine();
  const there = new Machine();
  const file = await smallBundle(here);
  mkdirSync(there.at('looked-at'));
  const looking = there.open('looked-at');
  const given = [disk(file), disk(there.at('looked-at'))] as const;
  const { added, restored, paths } = await looking.restoreBundle(...given, { timelineOnly: true });
  expect([added.map(({ id }) => id), restored, paths]).toEqual([['cp_1', 'cp_2'], null, []]);
  expect(everything(there.at('looked-at'))).toEqual([]);
  const { changes } = await looking.diff({ from: 'cp_1', to: 'cp_2' });
  expect(changes.map(({ path: changed }) => changed)).toEqual(['a.txt']);
  expect(String((await looking.cat('cp_2', 'a.txt' as TreePath)).bytes)).toBe('two\n');
  expect((await looking.verify()).damage).toEqual([]);
  expect(await failure(looking.restoreBundle(...given, { timelineOnly: true }))).toMatchObject({ code: 'CONFLICT' });
  there.write('mine', 'mine\n', 'used');
  const used = there.open().restoreBundle(disk(file), disk(there.at('used')), { timelineOnly: true });
  expect(await failure(used)).toMatchObject({ code: 'CONFLICT' });
});
